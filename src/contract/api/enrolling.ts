import * as z from 'zod';
import { controller } from './controllers.ts';
import { data, group, operation, preprocess, string, textUpTo } from './kit/index.ts';
import { password, pem, shortText, username } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const csr = pem.meta({ description: 'A certificate request (PKCS#10) in PEM.' });

const fields = z
  .object({
    /** The certificate request of an identity, in PEM. */
    clientCsr: csr.optional(),
    certCsr: csr.optional().meta({ description: 'For routers: the request for the client certificate, in PEM.' }),
    serverCertCsr: csr.optional().meta({ description: 'For routers: the request for the server certificate, in PEM.' }),
    username: username.optional().meta({ description: 'Ignored: the username of the enrollment is used.' }),
    /** The new password. */
    password: password.optional(),
    name: textUpTo(256)
      .optional()
      .meta({ description: 'The name that an identity requests when it enrolls by itself; the name format of its CA may ignore it.' }),
  })
  .meta({ id: 'Enroll' });

/** The body of an enrollment; a plain text body is the certificate request. */
const enroll = preprocess<z.output<typeof fields>, string | z.input<typeof fields>>(
  (given) => (typeof given === 'string' ? { clientCsr: given } : given),
  fields,
);

/** The result of an enrollment: certificates, or a username. */
const enrolled = z
  .object({
    cert: string.optional().meta({ description: 'The certificate chain in PEM, leaf first, without the root.' }),
    serverCert: string.optional().meta({ description: 'For routers: the chain of the server certificate, in the same form.' }),
    ca: string
      .optional()
      .meta({ description: 'The CA certificates that a router, or an identity enrolled with a token, should trust, in PEM.' }),
    /** Username of the new authenticator. */
    username: string.optional(),
    /**
     * The controllers that the identity may use, as in `/controllers`; at least one. Absent for routers, and for enrollments without a
     * token.
     */
    controllers: z.array(controller.schemas.detail).optional(),
  })
  .meta({ id: 'Enrolled' });

/** Media types in which clients send certificate requests. */
const MEDIA = ['application/json', 'application/x-pem-file', 'text/plain', 'application/pkcs7'];

const common = {
  permission: 'open',
  surfaces: [surfaces.client],
  answer: data(enrolled),
  errors: [
    'INVALID_ENROLLMENT_TOKEN',
    'INVALID_ENROLL_METHOD',
    'ENROLLMENT_EXPIRED',
    'COULD_NOT_PROCESS_CSR',
    'MAX_AUTHENTICATOR_METHODS_REACHED',
  ],
} as const;

/** Errors of enrollments with a certificate of a known CA, with and without a token. */
const ERRORS_WITH_TOKEN = ['ENROLLMENT_CA_NOT_VALID', 'CERTIFICATE_FAILED_VALIDATION', 'CERT_IN_USE'] as const;
const ERRORS_WITHOUT_TOKEN = ['ENROLLMENT_NO_VALID_CAS', 'CERT_FAILED_VALIDATION', 'MISSING_CERT_CLAIM', 'CERT_IN_USE'] as const;

/** Errors of enrollments with the token of an external signer. */
const ERRORS_OF_SIGNERS = ['ENROLLMENT_IDENTITY_ALREADY_ENROLLED', 'INVALID_ENROLLMENT_NOT_ALLOWED'] as const;

/** The id of the external JWT signer that issued the token. Default: the signer whose issuer matches the token. */
const issuer = { issuerId: 'ziti-token-issuer-id' } as const;

/** The new certificates of a router. */
const extendedRouter = z
  .object({
    /** The chain of the client certificate in PEM, leaf first, without the root. */
    cert: string,
    /** The chain of the server certificate in PEM, leaf first, without the root. */
    serverCert: string,
  })
  .meta({ id: 'ExtendedRouter' });

const unsupported = 'UNSUPPORTED_MEDIA';

/** The body of a router's enrollment when the path names the method. */
const routerOtt = (id: string) =>
  z
    .object({
      /** The token of the enrollment. */
      token: shortText.optional(),
      clientCsr: csr.optional().meta({ description: 'The request for the client certificate, in PEM.' }),
      serverCsr: csr.optional().meta({ description: 'The request for the server certificate, in PEM.' }),
    })
    .meta({ id, description: 'The enrollment request of a router.' });

export const enrolling = group('enrolling', 'Enrolling', {
  enroll: operation('POST', '/enroll', {
    operationId: 'enroll',
    summary: 'Complete an enrollment of any method',
    query: z.object({
      token: shortText.optional().meta({ description: 'The token of the enrollment.' }),
      method: shortText.optional().meta({ description: 'Default: the method of the enrollment.' }),
    }),
    headers: issuer,
    body: { schema: enroll, name: 'body', required: false, media: MEDIA, unsupported },
    ...common,
    errors: [...common.errors, 'MISSING_OR_INVALID_CSR', ...ERRORS_WITH_TOKEN, ...ERRORS_WITHOUT_TOKEN, ...ERRORS_OF_SIGNERS],
  }),
  ott: operation('POST', '/enroll/ott', {
    operationId: 'enrollOtt',
    summary: 'Enroll an identity with a token and a certificate request; the network issues the certificate',
    body: {
      /** The token and certificate request of an identity. */
      schema: z
        .object({
          /** The token of the enrollment. */
          token: shortText.optional(),
          /** A certificate request (PKCS#10) in PEM. */
          clientCsr: csr.optional(),
        })
        .meta({ id: 'EnrollOtt' }),
      name: 'ottEnrollmentRequest',
      unsupported,
    },
    ...common,
  }),
  ottca: operation('POST', '/enroll/ottca', {
    operationId: 'enrollOttCa',
    summary: 'Enroll an identity with a token and the client certificate of this request, which a known CA issued',
    ...common,
    body: {
      /** The token of an identity that enrolls with its own certificate. */
      schema: z
        .object({
          /** The token of the enrollment. */
          token: shortText.optional(),
        })
        .meta({ id: 'EnrollOttCa' }),
      name: 'ottEnrollmentRequest',
      unsupported,
    },
    errors: [...common.errors, ...ERRORS_WITH_TOKEN],
  }),
  erott: operation('POST', '/enroll/erott', {
    operationId: 'enrollErOtt',
    summary: 'Enroll an edge router: issue its certificates',
    ...common,
    body: { schema: routerOtt('EnrollErOtt'), name: 'erOttEnrollmentRequest', unsupported },
    errors: [...common.errors, 'MISSING_OR_INVALID_CSR'],
  }),
  trott: operation('POST', '/enroll/trott', {
    operationId: 'enrollTrOtt',
    summary: 'Enroll a transit router: issue its certificates',
    ...common,
    body: { schema: routerOtt('EnrollTrOtt'), name: 'trOttEnrollmentRequest', unsupported },
  }),
  extendRouter: operation('POST', '/enroll/extend/router', {
    operationId: 'extendRouterEnrollment',
    summary: 'Replace the certificates of a router; the certificate that this request presents becomes invalid',
    permission: 'open',
    needsCertificate: true,
    surfaces: [surfaces.client],
    body: {
      /** The requests for the new certificates of a router. */
      schema: z
        .object({
          /** The request for the client certificate, in PEM. */
          certCsr: csr,
          /** The request for the server certificate, in PEM. */
          serverCertCsr: csr,
        })
        .meta({ id: 'ExtendRouter' }),
      name: 'routerExtendEnrollmentRequest',
      unsupported,
    },
    answer: data(extendedRouter),
    errors: ['COULD_NOT_PROCESS_CSR'],
  }),
  ca: operation('POST', '/enroll/ca', {
    operationId: 'enrollCa',
    summary:
      'Create an identity without a token, from the client certificate of this request, if its CA allows clients to enroll by themselves',
    ...common,
    body: {
      /** The name of a client that enrolls without a token. */
      schema: fields.pick({ name: true }).meta({ id: 'EnrollCa' }),
      name: 'body',
      required: false,
      unsupported,
    },
    errors: ERRORS_WITHOUT_TOKEN,
  }),
  token: operation('POST', '/enroll/token', {
    operationId: 'enrollToken',
    summary:
      'Create an identity from a token of an external JWT signer, sent as `Authorization: Bearer`; the network issues a certificate if the body contains a certificate request',
    headers: issuer,
    ...common,
    body: {
      /** The certificate request of the bearer of a token of an external JWT signer. */
      schema: z
        .object({
          /** A certificate request (PKCS#10) in PEM. Without one, the identity logs in with tokens of the signer. */
          clientCsr: csr.optional(),
        })
        .meta({ id: 'EnrollToken' }),
      name: 'tokenEnrollmentRequest',
      unsupported,
    },
    errors: ['INVALID_ENROLLMENT_TOKEN', 'COULD_NOT_PROCESS_CSR', ...ERRORS_OF_SIGNERS],
  }),
  updb: operation('POST', '/enroll/updb', {
    operationId: 'enrollUpdb',
    summary: 'Enroll an identity with a token and a password',
    query: z.object({
      /** The token of the enrollment. */
      token: shortText.optional(),
    }),
    body: {
      /** The password of a new authenticator. */
      schema: fields.pick({ username: true, password: true }).meta({ id: 'EnrollUpdb' }),
      name: 'updbCredentials',
      unsupported,
    },
    ...common,
  }),
});
