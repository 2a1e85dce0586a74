/** Messages with which a router renews its certificates over its control channel. */
import { field } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

/** Requests certificates, with certificate signing requests in PEM. */
const extendEnrollment = fromRouters(
  { bytes: 65_536, elements: 16, cost: 20 },
  tableMessage(20302, 'EnrollmentExtendRouterRequest', {
    clientCertCsr: field.text(1),
    serverCertCsr: field.text(2),
    requireVerification: field.bool(3),
  }),
);

/** The issued certificates with their chains, in PEM. */
const enrollmentCertificates = tableMessage(20301, 'EnrollmentCertsResponse', {
  clientCertPem: field.text(1),
  serverCertPem: field.text(2),
  caCertsPem: field.text(3),
});

/** Confirms that the router has received its certificates. */
const verifyEnrollment = fromRouters(
  { bytes: 65_536, elements: 16, cost: 10 },
  tableMessage(20303, 'EnrollmentExtendRouterVerifyRequest', { clientCertPem: field.text(1) }),
);

/** The answer. An empty code means success. */
const enrollmentOutcome = tableMessage(20002, 'Error', { code: field.text(1), message: field.text(2), cause: field.text(3) });

/** Messages for renewing certificates. */
export const enrollmentMessages = { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } as const;
