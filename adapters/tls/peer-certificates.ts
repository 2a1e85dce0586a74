import { MAX_PRESENTED } from '../../src/adapter-kit.ts';

/** The members of `DetailedPeerCertificate` that are used. */
interface Certificate {
  readonly raw?: Uint8Array;
  readonly issuerCertificate?: Certificate;
}

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
const cache = new WeakMap<object, readonly Uint8Array[]>();

/**
 * The certificates that the client presented in the TLS handshake of a Node socket, in DER, leaf first; empty for other sockets. They are
 * read once per connection. TLS sockets are detected by shape rather than by class, for runtimes without `node:tls`.
 */
export const peerCertificates = (socket: (object & { readonly getPeerCertificate?: unknown }) | undefined): readonly Uint8Array[] => {
  // Does not use `in`, which the proxy around an HTTP/2 socket does not support.
  if (typeof socket?.getPeerCertificate !== 'function') return NO_CERTIFICATES;
  const cached = cache.get(socket);
  if (cached) return cached;
  const chain: Uint8Array[] = [];
  // An empty object if the client presented no certificate; undefined at the end of the chain, and after the socket was closed.
  let certificate: Certificate | undefined = socket.getPeerCertificate(true);
  // Reads one certificate more than the controller accepts, so that the controller rejects a longer chain.
  while (certificate?.raw && chain.length <= MAX_PRESENTED) {
    chain.push(new Uint8Array(certificate.raw));
    const issuer: Certificate | undefined = certificate.issuerCertificate;
    certificate = issuer === certificate ? undefined : issuer; // a self-signed certificate is its own issuer
  }
  const certificates = chain.length === 0 ? NO_CERTIFICATES : chain;
  cache.set(socket, certificates);
  return certificates;
};
