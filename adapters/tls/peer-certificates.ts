import { MAX_PRESENTED } from '../../src/adapter-kit.ts';

/** The members of `DetailedPeerCertificate` that are used here. */
interface Certificate {
  readonly raw?: Uint8Array;
  readonly issuerCertificate?: Certificate;
}

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
const known = new WeakMap<object, readonly Uint8Array[]>();

/**
 * DER of the certificates that the client presented in the handshake of a Node socket, leaf first; none for other sockets. Read once per connection.
 * Detected by shape and not by class, for runtimes without `node:tls`.
 */
export const peerCertificates = (socket: (object & { readonly getPeerCertificate?: unknown }) | undefined): readonly Uint8Array[] => {
  // Not `in`, which the proxy around an HTTP/2 socket does not support.
  if (typeof socket?.getPeerCertificate !== 'function') return NO_CERTIFICATES;
  const before = known.get(socket);
  if (before) return before;
  const chain: Uint8Array[] = [];
  // Empty if the client has none; undefined at the end of the chain, and after the socket is closed.
  let certificate: Certificate | undefined = socket.getPeerCertificate(true);
  // One more than the controller accepts, so that it refuses a longer chain.
  while (certificate?.raw && chain.length <= MAX_PRESENTED) {
    chain.push(new Uint8Array(certificate.raw));
    const issuer: Certificate | undefined = certificate.issuerCertificate;
    certificate = issuer === certificate ? undefined : issuer; // a self-signed certificate is its own issuer
  }
  const certificates = chain.length === 0 ? NO_CERTIFICATES : chain;
  known.set(socket, certificates);
  return certificates;
};
