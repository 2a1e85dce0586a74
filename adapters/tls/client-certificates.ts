import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/**
 * TLS options that make your own HTTPS server request client certificates and accept any.
 *
 * ```ts
 * https.createServer({ ...clientCertificates, key, cert }, nodeHandler(controller));
 * ```
 *
 * With an empty `ca`, authorities that the machine trusts are not added to the presented chains. Session resumption is disabled: a ticket
 * contains the client's certificate but not the intermediate ones, so that a client would be recognized on its first connection only.
 */
export const clientCertificates = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  // Includes HTTP/1.0, because clients that offer only this would otherwise be rejected.
  ALPNProtocols: ['http/1.1', 'http/1.0'],
  rejectUnauthorized: false,
  ca: [],
  secureOptions: constants.SSL_OP_NO_TICKET,
} satisfies TlsOptions;
