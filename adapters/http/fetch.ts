import { BodyIncomplete, BodyTooLarge, type CoreAnswer, type CoreRequest } from '../../src/adapter-kit.ts';
import { refusalBody } from './refusal.ts';

/** Whatever answers requests: a controller. */
interface Handling {
  handle(request: CoreRequest): Promise<CoreAnswer>;
}

export interface FetchHandlerOptions {
  /** Path below which the controller answers, e.g. `/overlay`. Default: the root. A request elsewhere gets 404. */
  readonly mount?: string;
}

/** What a web-standard request does not tell. */
export interface FetchConnection {
  /** DER of the certificates that the client presented, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string;
}

export type FetchHandler = (request: Request, connection?: FetchConnection) => Promise<Response>;

/**
 * For hosts that speak web-standard requests (Hono, Deno, Bun, workers).
 *
 * ```ts
 * app.all('/overlay/*', (c) => fetchHandler(controller, { mount: '/overlay' })(c.req.raw));
 * ```
 */
export const fetchHandler = (controller: Handling, { mount = '' }: FetchHandlerOptions = {}): FetchHandler => {
  const prefix = mount.replace(/\/+$/, '');
  return async (request, connection = {}) => {
    const { pathname, search } = new URL(request.url);
    const isBelow = pathname.startsWith(prefix) && (pathname.length === prefix.length || pathname[prefix.length] === '/' || prefix === '');
    if (!isBelow) return new Response(refusalBody(404), { status: 404, headers: { 'content-type': 'application/json' } });
    const { status, headers, body } = await controller.handle({
      ...connection,
      method: request.method,
      target: `${pathname.slice(prefix.length) || '/'}${search}`,
      header: (name) => request.headers.get(name) ?? undefined,
      body: (limit) => collect(request.body, limit),
      signal: request.signal,
    });
    // A BodyInit may not stand on shared memory; no answer does.
    return new Response(request.method === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer>), { status, headers });
  };
};

/** Keeps `limit` bytes at most, and cancels the stream with one more. */
const collect = async (stream: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> => {
  if (stream === null) return new Uint8Array(0);
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new BodyIncomplete();
    });
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // Not awaited: some sources never settle it.
      reader.cancel().catch(() => undefined);
      throw new BodyTooLarge();
    }
    chunks.push(value);
  }
  if (chunks.length === 1) return chunks[0] as Uint8Array; // of length 1
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
};
