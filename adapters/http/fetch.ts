import { BodyIncomplete, BodyTooLarge } from '../../src/adapter-kit.ts';
import type { Handling } from './handling.ts';
import { below, mountPoint } from './mount.ts';
import { bytesOf } from './parsed-body.ts';
import { type RefusalStatus, refusalBody } from './refusal.ts';

export interface FetchOptions {
  /** Path below which the controller answers, e.g. `/overlay`. Default: the root. A request elsewhere gets 404. */
  readonly mount?: string;
}

/** What a web-standard request does not tell. */
export interface FetchConnection {
  /** DER of the certificates that the client presented, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string | undefined;
  /** Gives the body, asked only when the host has used that of the request: bytes, text, or a JSON value. */
  readonly usedBody?: () => unknown;
}

export type FetchHandler = (request: Request, connection?: FetchConnection) => Promise<Response>;

/**
 * For hosts that speak web-standard requests: Bun, Deno, workers.
 *
 * ```ts
 * Deno.serve((request, { remoteAddr }) => handler(request, { remoteAddress: remoteAddr.hostname }));
 * ```
 */
export const fetchHandler = (controller: Handling, { mount }: FetchOptions = {}): FetchHandler => {
  const prefix = mountPoint(mount);
  return async (request, { peerCertificates = [], remoteAddress = '', usedBody } = {}) => {
    const { pathname, search } = new URL(request.url);
    const target = below(prefix, `${pathname}${search}`);
    if (target === undefined) return refusal(404);
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
      return new Response(request.method === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer>), { status, headers });
    } catch {
      return refusal(500);
    }
  };
};

const refusal = (status: RefusalStatus): Response =>
  new Response(refusalBody(status), { status, headers: { 'content-type': 'application/json' } });

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
