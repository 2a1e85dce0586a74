import * as z from 'zod';
import { created, data, EMPTY, group, listQuery, operation, page, readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { pem } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const certificate = string.meta({ description: 'The certificate chain in PEM, leaf first, without the root.' });

export const apiSessionCertificate = resource({
  kind: 'apiSessionCertificate',
  collection: 'current-api-session/certificates',
  names: ['CurrentApiSessionCertificate', 'CurrentApiSessionCertificates'],
  nouns: ['certificate of an API session', 'certificates of an API session'],
  about:
    'An API session certificate authenticates the session to routers, and proves possession of its tokens. It is valid for twelve hours, or for a year if the OpenID provider issued it, but no longer than the session. It cannot be used to log in.',
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
/** A new certificate of an API session. */
const createdCertificate = created
  .extend({ certificate, cas: string.meta({ description: 'The certificates to trust, in PEM.' }) })
  .meta({ id: 'CreatedApiSessionCertificate' });

export const apiSessionCertificates = group('apiSessionCertificates', 'Certificates of the current API session', {
  list: operation('GET', path, {
    operationId: 'listCurrentApiSessionCertificates',
    summary: 'List the certificates of the current API session',
    query: listQuery,
    answer: page(apiSessionCertificate.schemas.detail),
    ...common,
  }),
  get: operation('GET', `${path}/{id}`, {
    operationId: 'detailCurrentApiSessionCertificate',
    summary: 'Get a certificate of the current API session',
    answer: data(apiSessionCertificate.schemas.detail),
    ...common,
  }),
  create: operation('POST', path, {
    operationId: 'createCurrentApiSessionCertificate',
    summary: 'Issue a certificate for the current API session, with a key of the client',
    body: { schema: request, name: 'sessionCertificate' },
    answer: { is: 'created', schema: createdCertificate },
    errors: ['COULD_NOT_PROCESS_CSR', 'RATE_LIMITED'],
    ...common,
  }),
  delete: operation('DELETE', `${path}/{id}`, {
    operationId: 'deleteCurrentApiSessionCertificate',
    summary: 'Delete a certificate of the current API session',
    answer: EMPTY,
    ...common,
  }),
});
