/** A router's certificates, renewed on its control channel. */
import { field } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

/** Asks for certificates; requests in PEM. */
const extendEnrollment = fromRouters(
  { bytes: 65_536, elements: 16, cost: 20 },
  tableMessage(20302, 'EnrollmentExtendRouterRequest', {
    clientCertCsr: field.text(1),
    serverCertCsr: field.text(2),
    requireVerification: field.bool(3),
  }),
);

/** The certificates, with those above them, in PEM. */
const enrollmentCertificates = tableMessage(20301, 'EnrollmentCertsResponse', {
  clientCertPem: field.text(1),
  serverCertPem: field.text(2),
  caCertsPem: field.text(3),
});

/** Confirms that the router has them. */
const verifyEnrollment = fromRouters(
  { bytes: 65_536, elements: 16, cost: 10 },
  tableMessage(20303, 'EnrollmentExtendRouterVerifyRequest', { clientCertPem: field.text(1) }),
);

/** The answer; an empty code means success. */
const enrollmentOutcome = tableMessage(20002, 'Error', { code: field.text(1), message: field.text(2), cause: field.text(3) });

/** Certificates of a router, renewed on its channel. */
export const enrollmentMessages = { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } as const;
