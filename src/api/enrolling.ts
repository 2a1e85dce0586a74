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
    certCsr: csr.optional().meta({ description: 'Of a router: a request for the certificate by which it proves itself.' }),
    serverCertCsr: csr.optional().meta({ description: 'Of a router: a request for the certificate of its own server.' }),
    username: username.optional().meta({ description: 'Of no effect: that of the enrollment counts.' }),
    /** The new password. */
    password: password.optional(),
    name: textUpTo(256)
      .optional()
      .meta({ description: 'The name that an identity which enrols by itself asks for; its authority may not heed it.' }),
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
    cert: string.optional().meta({ description: 'The certificate in PEM, then those above it, without the root.' }),
    serverCert: string.optional().meta({ description: "The certificate of a router's server, likewise." }),
    ca: string
      .optional()
      .meta({ description: 'The certificates that a router, or an identity enrolled by a token, should trust, in PEM.' }),
    /** Username of the new authenticator. */
    username: string.optional(),
    /** The controllers that the identity may use, as in `/controllers`; at least one. Absent for routers, and without a token. */
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

/** Errors of enrollments with a certificate of a known authority: with a token, and without one. */
const ERRORS_WITH_TOKEN = ['ENROLLMENT_CA_NOT_VALID', 'CERTIFICATE_FAILED_VALIDATION', 'CERT_IN_USE'] as const;
const ERRORS_WITHOUT_TOKEN = ['ENROLLMENT_NO_VALID_CAS', 'CERT_FAILED_VALIDATION', 'MISSING_CERT_CLAIM', 'CERT_IN_USE'] as const;

/** Errors of enrollments with the token of an external signer. */
const ERRORS_OF_SIGNERS = ['ENROLLMENT_IDENTITY_ALREADY_ENROLLED', 'INVALID_ENROLLMENT_NOT_ALLOWED'] as const;

/** The id of the external JWT signer whose token is sent; by default, the one with the issuer of the token. */
const issuer = { issuerId: 'ziti-token-issuer-id' } as const;

/** The new certificates of a router. */
const extendedRouter = z
  .object({
    /** The certificate with which it authenticates, in PEM, then those above it, without the root. */
    cert: string,
    /** The certificate of its server, in PEM, then those above it, without the root. */
    serverCert: string,
  })
  .meta({ id: 'ExtendedRouter' });

const unsupported = 'UNSUPPORTED_MEDIA';

/** The body of a router's enrollment if the path names the method. */
const routerOtt = (id: string) =>
  z
    .object({
      /** The token of the enrollment. */
      token: shortText.optional(),
      clientCsr: csr.optional().meta({ description: 'As `certCsr` where the method is in the query.' }),
      serverCsr: csr.optional().meta({ description: 'As `serverCertCsr` there.' }),
    })
    .meta({ id, description: 'What a router brings to enroll.' });

export const enrolling = group('enrolling', 'Enrolling', {
  enroll: operation('POST', '/enroll', {
    operationId: 'enroll',
    summary: 'Complete an enrollment, by its method',
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
    summary: 'Get a certificate of the network for a key of the client',
    body: {
      /** Enrolls an identity for a certificate of the network. */
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
    summary: 'Enroll with the client certificate of this request, issued by a known CA',
    ...common,
    body: {
      /** Enrolls an identity with its own certificate. */
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
    summary: 'Get the certificates of an edge router',
    ...common,
    body: { schema: routerOtt('EnrollErOtt'), name: 'erOttEnrollmentRequest', unsupported },
    errors: [...common.errors, 'MISSING_OR_INVALID_CSR'],
  }),
  trott: operation('POST', '/enroll/trott', {
    operationId: 'enrollTrOtt',
    summary: 'Get the certificates of a router',
    ...common,
    body: { schema: routerOtt('EnrollTrOtt'), name: 'trOttEnrollmentRequest', unsupported },
  }),
  extendRouter: operation('POST', '/enroll/extend/router', {
    operationId: 'extendRouterEnrollment',
    summary: 'Replace the certificates of a router; the one that this request presents becomes invalid',
    permission: 'open',
    needsCertificate: true,
    surfaces: [surfaces.client],
    body: {
      /** The requests for the new certificates of a router. */
      schema: z
        .object({
          /** A request for the certificate with which it authenticates, in PEM. */
          certCsr: csr,
          /** A request for the certificate of its server, in PEM. */
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
      'Become an identity, without any token, by the client certificate of this request, if its authority lets clients enroll by themselves',
    ...common,
    body: {
      /** Enrolls a client without a token. */
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
      'Become an identity by a token of an external JWT signer, sent as `Authorization: Bearer`: with a certificate of the network if the body has a request for one',
    headers: issuer,
    ...common,
    body: {
      /** Enrolls the bearer of a token of an external JWT signer. */
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
    summary: 'Set the password of an identity that has none',
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
