import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { BodyIncomplete, BodyTooLarge, type CoreRequest } from '../../src/adapter-kit.ts';

/**
 * A request of Node's, as the core wants it. Nothing is read or computed before it is asked for. A class, because an object literal with getters
 * gets a hidden class of its own each time.
 */
export class NodeRequest implements CoreRequest {
  readonly method: string;
  readonly target: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #awaitsContinue: boolean;
  readonly #forwarded: Forwarded | undefined;
  #left: AbortController | undefined;

  /**
   * @param target path and query below the mount point
   * @param awaitsContinue whether the server has held back `100 Continue`, so that it must be sent before the body can come
   * @param forwarded the certificates that a trusted proxy hands on; undefined where the request is not from one
   */
  constructor(req: IncomingMessage, res: ServerResponse, target: string, awaitsContinue = false, forwarded?: Forwarded) {
    this.method = req.method ?? 'GET';
    this.target = target;
    this.#req = req;
    this.#res = res;
    this.#awaitsContinue = awaitsContinue;
    this.#forwarded = forwarded;
  }

  header(name: string): string | undefined {
    if (name === 'authorization') return everyAuthorization(this.#req);
    const value = this.#req.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  body(limit: number): Promise<Uint8Array> {
    const length = this.#req.headers['content-length'];
    if (length === undefined && this.#req.headers['transfer-encoding'] === undefined) return NOTHING;
    if (Number(length) > limit) return Promise.reject(new BodyTooLarge());
    if (this.#awaitsContinue) this.#res.writeContinue();
    return collect(this.#req, limit);
  }

  get peerCertificates(): readonly Uint8Array[] {
    return this.#forwarded?.(this.#req) ?? peerCertificates(this.#req.socket);
  }

  get remoteAddress(): string {
    return this.#req.socket.remoteAddress ?? '';
  }

  get signal(): AbortSignal {
    if (this.#left) return this.#left.signal;
    const controller = new AbortController();
    this.#left = controller;
    const res = this.#res;
    const gone = () => {
      if (!res.writableFinished) controller.abort();
    };
    if (res.closed) gone();
    else res.once('close', gone);
    return controller.signal;
  }
}

type Forwarded = (req: IncomingMessage) => readonly Uint8Array[] | undefined;

const NOTHING: Promise<Uint8Array> = Promise.resolve(new Uint8Array(0));

/** Keeps `limit` bytes at most: with one more it stops listening, and leaves the rest where it is. */
const collect = (req: IncomingMessage, limit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void) => {
      req.off('data', data).off('end', end).off('error', cut).off('close', cut);
      outcome();
    };
    const data = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        req.pause();
        settle(() => reject(new BodyTooLarge()));
      }
    };
    const end = () => settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size))); // of length 1
    const cut = () => settle(() => reject(new BodyIncomplete()));
    if (req.destroyed && !req.readableEnded) cut();
    else req.on('data', data).on('end', end).on('error', cut).on('close', cut);
  });

/** Node keeps the first of several `Authorization` headers; all of them count here. */
const everyAuthorization = (req: IncomingMessage): string | undefined => {
  const first = req.headers.authorization;
  if (first === undefined) return undefined;
  const raw = req.rawHeaders;
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.length === 13 && raw[i]?.toLowerCase() === 'authorization') values.push(raw[i + 1] ?? '');
  return values.length > 1 ? values.join(', ') : first;
};

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
const certificates = new WeakMap<TLSSocket, readonly Uint8Array[]>();

/** Those of the handshake, leaf first, looked up once for each connection. */
const peerCertificates = (socket: Socket): readonly Uint8Array[] => {
  if (!(socket instanceof TLSSocket)) return NO_CERTIFICATES;
  const known = certificates.get(socket);
  if (known) return known;
  const chain = presented(socket);
  certificates.set(socket, chain);
  return chain;
};

const presented = (socket: TLSSocket): readonly Uint8Array[] => {
  const chain: Uint8Array[] = [];
  // Typed as always there, but empty for a client without one, and undefined at the end of a chain and once the socket is closed.
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw) {
    chain.push(new Uint8Array(certificate.raw));
    const issuer: DetailedPeerCertificate | undefined = certificate.issuerCertificate;
    certificate = issuer === certificate ? undefined : issuer; // one that signed itself is its own issuer
  }
  return chain.length === 0 ? NO_CERTIFICATES : chain;
};
