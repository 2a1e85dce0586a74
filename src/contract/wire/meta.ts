/** The versions of the API and of enrollment that the specification requires in every JSON answer. */
export const META = Object.freeze({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
