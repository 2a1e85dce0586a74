/** The versions of the API and of enrollment from the specification, included in every JSON answer. */
export const META = Object.freeze({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
