import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { BodyTooLarge, type CoreIdentity, type CoreRequest, type UnreadAnswers } from '../../src/adapter-kit.ts';
import { peerCertificates } from '../tls/peer-certificates.ts';
import { allAuthorizations } from './authorizations.ts';
import { strippedPrefix } from './mount.ts';
import { bytesOf } from './parsed-body.ts';
import { requestIdOf } from './request-id.ts';
import type { Standings } from './standings.ts';

/** A Node request, over HTTP/1.1 or HTTP/2. */
export type NodeIncoming = IncomingMessage | Http2ServerRequest;
/** A Node response, over HTTP/1.1 or HTTP/2. */
export type NodeOutgoing = ServerResponse | Http2ServerResponse;

/** A request as a Node framework passes it on. */
export interface HostRequest {
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  /** The body, if the host's parsers have read it: bytes, text, or a JSON value. */
  readonly parsed?: unknown;
  /** Address of the client according to the host, which may have resolved proxies. Default: that of the socket. */
  readonly remoteAddress?: string | undefined;
  /** Path and query before the host stripped its mount path. Used only if the request itself lacks `originalUrl`, which Express sets. */
  readonly originalUrl?: string | undefined;
  /** The host's id for the request. */
  readonly requestId?: string | undefined;
  /** True if the client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue?: boolean;
}

/**
 * A `CoreRequest` that reads a Node request on demand. It is a class, because V8 gives each object literal with getters its own hidden
 * class.
 */
export class NodeRequest implements CoreRequest {
  readonly method: string;
  readonly target: string;
  readonly unread: UnreadAnswers;
  readonly #incoming: HostRequest;
  readonly #prefix: string;
  readonly #receive: Receive;
  readonly #forwardedCertificates: ForwardedCertificates | undefined;
  readonly #standings: Standings;
  #disconnect: AbortController | undefined;
  #requestId: string | undefined;
  #isRecognized = false;

  /** @param target path and query, without the mount path */
  constructor(incoming: HostRequest, target: string, { prefix, receive, forwardedCertificates, unread, standings }: SharedOptions) {
    this.method = incoming.req.method ?? 'GET';
    this.target = target;
    this.unread = unread;
    this.#incoming = incoming;
    this.#prefix = prefix;
    this.#receive = receive;
    this.#forwardedCertificates = forwardedCertificates;
    this.#standings = standings;
  }

  header(name: string): string | undefined {
    if (name === 'authorization') return allAuthorizations(this.#incoming.req);
    const value = this.#incoming.req.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  async body(limit: number): Promise<Uint8Array> {
    const { req, res, parsed, awaitsContinue } = this.#incoming;
    const length = req.headers['content-length'];
    if (isBodiless(req)) return EMPTY;
    if (Number(length) > limit) throw new BodyTooLarge();
    if (req.readableDidRead) return bytesOf(parsed, limit, req.headers['content-type']);
    if (awaitsContinue) res.writeContinue();
    return this.#receive(this.#incoming, limit);
  }

  get peerCertificates(): readonly Uint8Array[] {
    const { req } = this.#incoming;
    return this.#forwardedCertificates?.(req) ?? peerCertificates('stream' in req ? req.stream.session?.socket : req.socket);
  }

  get remoteAddress(): string {
    return this.#incoming.remoteAddress ?? this.#incoming.req.socket.remoteAddress ?? '';
  }

  get host(): string | undefined {
    const { req } = this.#incoming;
    return 'authority' in req ? req.authority : req.headers.host;
  }

  get mount(): string {
    const { req } = this.#incoming;
    const { originalUrl = this.#incoming.originalUrl } = req as { readonly originalUrl?: string }; // set by Express and frameworks like it
    return (originalUrl === undefined ? '' : strippedPrefix(originalUrl, req.url ?? '/')) + this.#prefix;
  }

  get requestId(): string {
    return (this.#requestId ??= hostRequestId(this.#incoming));
  }

  recognized(identity: CoreIdentity): void {
    this.#isRecognized = true;
    this.#standings.note(this.#incoming.req, identity);
  }

  /** Called when the request is refused with 401, which says nothing about its token if that has been accepted before. */
  refused(): void {
    if (!this.#isRecognized) this.#standings.forget(this.#incoming.req);
  }

  get signal(): AbortSignal {
    if (this.#disconnect) return this.#disconnect.signal;
    const controller = new AbortController();
    this.#disconnect = controller;
    onDisconnect(this.#incoming.res, () => controller.abort());
    return controller.signal;
  }
}

/** The id of a request in the log and in its answer. Middleware such as pino-http may have set `id` on the request itself. */
export const hostRequestId = ({ req, requestId }: HostRequest): string => {
  const { id = requestId } = req as { readonly id?: unknown };
  return requestIdOf(id, req.headers['x-request-id']?.toString());
};

/** The options of a server for reading requests. */
interface SharedOptions {
  /** The mount path. */
  readonly prefix: string;
  readonly receive: Receive;
  /** Returns the certificates that a trusted proxy forwards; undefined if no proxy is trusted. */
  readonly forwardedCertificates: ForwardedCertificates | undefined;
  readonly unread: UnreadAnswers;
  readonly standings: Standings;
}

type Receive = (incoming: HostRequest, limit: number) => Promise<Uint8Array>;
type ForwardedCertificates = (req: NodeIncoming) => readonly Uint8Array[] | undefined;

/** Calls `callback` if the client disconnects before the answer is complete. */
const onDisconnect = (res: NodeOutgoing, callback: () => void): void => {
  if ('stream' in res) {
    // When a client aborts an HTTP/2 stream, it closes as if everything had been written, so `aborted` is checked instead.
    if (res.stream.aborted) callback();
    else res.stream.once('aborted', callback);
  } else {
    const onClose = () => res.writableFinished || callback();
    if (res.closed) onClose();
    else res.once('close', onClose);
  }
};

const EMPTY = new Uint8Array(0);

/** True if a request has no body: in HTTP/1, no header announces one; in HTTP/2, the headers have the flag END_STREAM. */
const isBodiless = (req: NodeIncoming): boolean => {
  if ('stream' in req) return req.stream.endAfterHeaders;
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  return encoding === undefined && (length === undefined || length === '0');
};
