import * as z from 'zod';
import { created, data, EMPTY, group, listQuery, operation, page, readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { pem } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const certificate = string.meta({ description: 'The certificate in PEM, then those above it, without the root.' });

export const apiSessionCertificate = resource({
  kind: 'apiSessionCertificate',
  collection: 'current-api-session/certificates',
  names: ['CurrentApiSessionCertificate', 'CurrentApiSessionCertificates'],
  nouns: ['certificate of an API session', 'certificates of an API session'],
  about:
    'A certificate of an API session proves the session to routers, and the possession of its tokens. It lasts for twelve hours, or for a year if the OpenID provider issued it, ends with the session, and cannot be used to log in.',
  fields: {
    apiSessionId: {
      ...reference('apiSession', { write: 'never', onDelete: 'cascade', alone: true, filter: 'apiSession' }),
      keep: 'hidden',
    },
    certificate: readOnly(certificate, { default: '' }),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { default: '', filter: true }),
    /** Subject of the certificate. */
    subject: readOnly(string, { default: '', filter: true }),
    /** Start of the certificate's validity. */
    validFrom: readOnly(timestamp),
    /** End of the certificate's validity. */
    validTo: readOnly(timestamp),
  },
});

const common = { permission: 'session', surfaces: [surfaces.client] } as const;
const path = '/current-api-session/certificates';
/** The request for a certificate of an API session. */
const request = z
  .object({ csr: pem.meta({ description: 'A certificate request (PKCS#10) in PEM.' }) })
  .meta({ id: 'ApiSessionCertificateCreate' });
/** A new certificate of a session. */
const createdCertificate = created
  .extend({ certificate, cas: string.meta({ description: 'What to trust, in PEM.' }) })
  .meta({ id: 'CreatedApiSessionCertificate' });

export const apiSessionCertificates = group('apiSessionCertificates', 'Certificates of the current API session', {
  list: operation('GET', path, {
    operationId: 'listCurrentApiSessionCertificates',
    summary: 'List the certificates of the session of this request',
    query: listQuery,
    answer: page(apiSessionCertificate.schemas.detail),
    ...common,
  }),
  get: operation('GET', `${path}/{id}`, {
    operationId: 'detailCurrentApiSessionCertificate',
    summary: 'Get one of the certificates of the session of this request',
    answer: data(apiSessionCertificate.schemas.detail),
    ...common,
  }),
  create: operation('POST', path, {
    operationId: 'createCurrentApiSessionCertificate',
    summary: 'Get a certificate of the session of this request, for a key of the client',
    body: {
      schema: request,
      name: 'sessionCertificate',
    },
    answer: { is: 'created', schema: createdCertificate },
    errors: ['COULD_NOT_PROCESS_CSR', 'RATE_LIMITED'],
    ...common,
  }),
  delete: operation('DELETE', `${path}/{id}`, {
    operationId: 'deleteCurrentApiSessionCertificate',
    summary: 'Delete one of the certificates of the session of this request',
    answer: EMPTY,
    ...common,
  }),
});
