import { BodyIncomplete, BodyTooLarge, checkedOptions } from '../../src/adapter-kit.ts';
import { logFailure } from './failed.ts';
import type { Handling } from './handling.ts';
import { below, mountPoint } from './mount.ts';
import { bytesOf } from './parsed-body.ts';
import { REFUSAL_HEADERS, type RefusalStatus, refusalBody } from './refusal.ts';

/** How web-standard requests reach the controller. */
export interface WebOptions {
  /** Path below which the controller answers, e.g. `/overlay`. Default: the root. A request elsewhere gets 404. */
  readonly mount?: string;
}

/** What a web-standard request does not tell. */
export interface WebConnection {
  /** DER of the certificates that the client presented, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string | undefined;
  /** Gives the body, asked only when the host has used that of the request: bytes, text, or a JSON value. */
  readonly usedBody?: () => unknown;
}

/** Makes a response in the way of the host. */
export type Respond = (
  body: string | Uint8Array<ArrayBuffer> | null,
  init: { status: number; headers: Record<string, string> },
) => Response;

/** What the adapters for web-standard requests have in common. The promise never rejects. */
export type WebBridge = (request: Request, connection?: WebConnection, respond?: Respond) => Promise<Response>;

export const webBridge = (controller: Handling, options: WebOptions = {}): WebBridge => {
  const prefix = mountPoint(checkedOptions('the HTTP adapter', options, { mount: true }).mount);
  return async (request, { peerCertificates = [], remoteAddress = '', usedBody } = {}, respond = newResponse) => {
    const refuse = (status: RefusalStatus) => respond(refusalBody(status), { status, headers: { ...REFUSAL_HEADERS } });
    const { pathname, search } = new URL(request.url);
    const target = below(prefix, `${pathname}${search}`);
    if (target === undefined) return refuse(404);
    try {
      const { status, headers, body } = await controller.handle({
        method: request.method,
        target,
        header: (name) => request.headers.get(name) ?? undefined,
        body: async (limit) => (request.bodyUsed ? bytesOf(await usedBody?.(), limit) : collect(request.body, limit)),
        signal: request.signal,
        peerCertificates,
        remoteAddress,
      });
      // A BodyInit may not stand on shared memory; no answer does.
      return respond(request.method === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer>), { status, headers: { ...headers } });
    } catch (error) {
      logFailure(controller, request.method, target, error);
      return refuse(500);
    }
  };
};

const newResponse: Respond = (body, init) => new Response(body, init);

/** Keeps `limit` bytes at most, and cancels the stream with one more. */
const collect = async (stream: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream?.getReader();
  while (reader) {
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
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
};
