import {
  ANSWER_LIMITS,
  type AnswerLimits,
  abandon,
  BodyIncomplete,
  BodyTooLarge,
  type Bytes,
  type CoreAnswer,
  checkedOptions,
  countUnread,
  createUnreadAnswers,
} from '../../src/adapter-kit.ts';
import { MAX_CHUNKS } from './collect.ts';
import { type Handling, logFailure } from './handling.ts';
import { mountPoint, withoutMount } from './mount.ts';
import { bytesOf } from './parsed-body.ts';
import { REFUSAL_HEADERS, type RefusalStatus, refusalBody } from './refusal.ts';
import { webRequestId } from './request-id.ts';
import { abandonBody, isBodiless, isWhole } from './whole.ts';

/** How web-standard requests reach the controller. */
export interface WebOptions extends AnswerLimits {
  /** Path under which the controller answers, e.g. `/overlay`. Default: the root. A request to any other path gets 404. */
  readonly mount?: string;
}

/** Connection details that a web-standard request lacks. */
export interface WebConnection {
  /** DER of the certificates that the client presented, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string | undefined;
  /** Returns the body as bytes, text, or a JSON value. Called only if the host has already consumed the body of the request. */
  readonly usedBody?: () => unknown;
}

/** Creates the response object of the host. */
export type Respond = (
  body: string | Bytes | ReadableStream<Uint8Array> | null,
  init: { status: number; headers: [name: string, value: string][] },
) => Response;

/** The common part of all adapters for web-standard requests. The promise never rejects. */
export type WebBridge = (request: Request, connection?: WebConnection, respond?: Respond) => Promise<Response>;

export const webBridge = (controller: Handling, options: WebOptions = {}): WebBridge => {
  const { mount, ...limits } = checkedOptions('the HTTP adapter', options, { mount: true, ...ANSWER_LIMITS });
  const prefix = mountPoint(mount);
  const unread = createUnreadAnswers(limits);
  return async (request, { peerCertificates = [], remoteAddress = '', usedBody } = {}, respond = newResponse) => {
    const requestId = webRequestId(request);
    const refuse = (status: RefusalStatus) => respond(refusalBody(status, requestId), { status, headers: Object.entries(REFUSAL_HEADERS) });
    const { pathname, search, host } = new URL(request.url);
    const target = withoutMount(prefix, `${pathname}${search}`);
    if (target === undefined) return refuse(404);
    try {
      const answer = await controller.handle({
        method: request.method,
        target,
        mount: prefix,
        header: (name) => request.headers.get(name) ?? undefined,
        body: async (limit) =>
          request.bodyUsed
            ? bytesOf(await usedBody?.(), limit, request.headers.get('content-type') ?? undefined)
            : collect(request.body, limit),
        signal: request.signal,
        peerCertificates,
        remoteAddress,
        host: request.headers.get('host') ?? host,
        requestId,
        unread,
      });
      return responseOf(request, countUnread(answer, unread, remoteAddress), respond);
    } catch (error) {
      logFailure(controller, { requestId, method: request.method, target }, error);
      return refuse(500);
    }
  };
};

const responseOf = ({ method, signal }: Request, answer: CoreAnswer, respond: Respond): Response => {
  const { status, headers, body } = answer;
  const init = {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) => valuesOf(value).map((each): [string, string] => [name, each])),
  };
  try {
    // The cast excludes shared memory, which BodyInit does not allow and answers never use.
    if (isWhole(body)) return respond(method === 'HEAD' || isBodiless(status) ? null : (body as string | Uint8Array<ArrayBuffer>), init);
    if (method !== 'HEAD') return respond(streamOf(body, signal, answer.signal), init);
    abandonBody(body);
    return respond(null, init);
  } catch (error) {
    abandonBody(body);
    throw error;
  }
};

const valuesOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

/**
 * A streamed body. A part is requested only when the host needs it, and never after the client has disconnected.
 * @param client aborted when the client disconnects
 * @param cutOff aborted when the controller cuts the answer off
 */
const streamOf = (body: AsyncIterable<Uint8Array>, client: AbortSignal, cutOff: AbortSignal | undefined): ReadableStream<Uint8Array> => {
  const parts = body[Symbol.asyncIterator]();
  const ended = new AbortController();
  const end = () => ended.abort();
  const cancelBody = () => {
    end();
    abandon(parts);
  };
  // Runtimes report a disconnected client by the signal, by cancelling the stream, or both.
  client.addEventListener('abort', cancelBody, { once: true, signal: ended.signal });
  return new ReadableStream(
    {
      start: (controller) => cutOff?.addEventListener('abort', () => controller.error(cutOff.reason), { once: true, signal: ended.signal }),
      pull: async (controller) => {
        const { done, value } = await parts.next();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel: cancelBody,
    },
    { highWaterMark: 0 },
  );
};

const newResponse: Respond = (body, init) => new Response(body, init);

/** Reads a body into memory, and cancels it beyond `limit` bytes or 10,000 chunks. */
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
    if (size > limit || chunks.length === MAX_CHUNKS) {
      // Not awaited, because the promise of some sources never settles.
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
