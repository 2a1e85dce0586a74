import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { BodyTooLarge, type CoreRequest } from '../../src/adapter-kit.ts';
import { bytesOf } from './parsed-body.ts';
import { peerCertificates } from './peer-certificates.ts';
import { requestIdOf } from './request-id.ts';

export type NodeIncoming = IncomingMessage | Http2ServerRequest;
export type NodeOutgoing = ServerResponse | Http2ServerResponse;

/** A request as a host on Node hands it on. */
export interface HostRequest {
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  /** The body as the host's parsers left it, if they have read it: bytes, text, or a JSON value. */
  readonly parsed?: unknown;
  /** Address of the client as the host knows it, which may have looked behind proxies. Default: that of the socket. */
  readonly remoteAddress?: string | undefined;
  /** By which the host knows the request. */
  readonly requestId?: string | undefined;
  /** Whether the server has held back `100 Continue`, so that it must be sent before the body can come. */
  readonly awaitsContinue?: boolean;
}

/**
 * A request of Node's, as the core wants it. Nothing is read or computed before it is asked for. A class, because an object literal with getters
 * gets a hidden class of its own each time.
 */
export class NodeRequest implements CoreRequest {
  readonly method: string;
  readonly target: string;
  readonly #host: HostRequest;
  readonly #receive: Receive;
  readonly #forwarded: Forwarded | undefined;
  #left: AbortController | undefined;
  #requestId: string | undefined;

  /**
   * @param target path and query below the mount point
   * @param receive waits for a body
   * @param forwarded reads the certificates that a trusted proxy hands on; undefined where no proxy is trusted
   */
  constructor(host: HostRequest, target: string, receive: Receive, forwarded?: Forwarded) {
    this.method = host.req.method ?? 'GET';
    this.target = target;
    this.#host = host;
    this.#receive = receive;
    this.#forwarded = forwarded;
  }

  header(name: string): string | undefined {
    if (name === 'authorization') return everyAuthorization(this.#host.req);
    const value = this.#host.req.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  async body(limit: number): Promise<Uint8Array> {
    const { req, res, parsed, awaitsContinue } = this.#host;
    const length = req.headers['content-length'];
    if (isBodiless(req)) return NOTHING;
    if (Number(length) > limit) throw new BodyTooLarge();
    if (req.readableDidRead) return bytesOf(parsed, limit, req.headers['content-type']);
    if (awaitsContinue) res.writeContinue();
    return this.#receive(this.#host, limit);
  }

  get peerCertificates(): readonly Uint8Array[] {
    const { req } = this.#host;
    return this.#forwarded?.(req) ?? peerCertificates('stream' in req ? req.stream.session?.socket : req.socket);
  }

  get remoteAddress(): string {
    return this.#host.remoteAddress ?? this.#host.req.socket.remoteAddress ?? '';
  }

  get requestId(): string {
    return (this.#requestId ??= hostRequestId(this.#host));
  }

  get signal(): AbortSignal {
    if (this.#left) return this.#left.signal;
    const controller = new AbortController();
    this.#left = controller;
    whenGone(this.#host.res, () => controller.abort());
    return controller.signal;
  }
}

/** By which log and answer know a request. Middleware such as pino-http has set an id on the request itself. */
export const hostRequestId = ({ req, requestId }: HostRequest): string => {
  const { id = requestId } = req as { readonly id?: unknown };
  return requestIdOf(id, req.headers['x-request-id']?.toString());
};

type Receive = (host: HostRequest, limit: number) => Promise<Uint8Array>;
type Forwarded = (req: NodeIncoming) => readonly Uint8Array[] | undefined;

/** Calls back when the client goes away before the answer is with it. */
const whenGone = (res: NodeOutgoing, gone: () => void): void => {
  if ('stream' in res) {
    // Such a stream ends by itself when the client breaks it off, as if all had been written.
    if (res.stream.aborted) gone();
    else res.stream.once('aborted', gone);
  } else {
    const closed = () => res.writableFinished || gone();
    if (res.closed) closed();
    else res.once('close', closed);
  }
};

const NOTHING = new Uint8Array(0);

/** HTTP/1 announces a body by a header, HTTP/2 by what it leaves out. */
const isBodiless = (req: NodeIncoming): boolean => {
  if ('stream' in req) return req.stream.endAfterHeaders;
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  return encoding === undefined && (length === undefined || length === '0');
};

/** Node keeps the first of several `Authorization` headers; all of them count here. */
const everyAuthorization = (req: NodeIncoming): string | undefined => {
  const first = req.headers.authorization;
  if (first === undefined) return undefined;
  const raw = req.rawHeaders;
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.length === 13 && raw[i]?.toLowerCase() === 'authorization') values.push(raw[i + 1] ?? '');
  return values.length > 1 ? values.join(', ') : first;
};
