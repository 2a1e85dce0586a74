import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/**
 * TLS options for your own HTTPS server: it requests client certificates and accepts any.
 *
 * ```ts
 * https.createServer({ ...clientCertificates, key, cert }, nodeHandler(controller));
 * ```
 *
 * An empty `ca` keeps the authorities of the machine out of the presented chains. Session resumption is off: a ticket keeps the client's
 * certificate but drops the intermediate ones, so a client would be recognised on its first connection but not on the next.
 */
export const clientCertificates = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  // HTTP/1.0 is offered too, because clients that announce only 1.0 would otherwise be refused.
  ALPNProtocols: ['http/1.1', 'http/1.0'],
  rejectUnauthorized: false,
  ca: [],
  secureOptions: constants.SSL_OP_NO_TICKET,
} satisfies TlsOptions;
