import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/**
 * TLS options for your own HTTPS server, which make it request client certificates and accept any.
 *
 * ```ts
 * https.createServer({ ...clientCertificates, key, cert }, nodeHandler(controller));
 * ```
 *
 * With an empty `ca`, authorities that the machine trusts are not added to the presented chains. Session resumption is off: a ticket keeps the client's
 * certificate but not the intermediate ones, so a client would be recognised on its first connection but not on the next.
 */
export const clientCertificates = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  // Includes HTTP/1.0, because clients that offer nothing else would otherwise be rejected.
  ALPNProtocols: ['http/1.1', 'http/1.0'],
  rejectUnauthorized: false,
  ca: [],
  secureOptions: constants.SSL_OP_NO_TICKET,
} satisfies TlsOptions;
