import {
  ANSWER_LIMITS,
  type AnswerLimits,
  type Bytes,
  type CoreAnswer,
  checkedOptions,
  countUnread,
  createUnreadAnswers,
} from '../../src/adapter-kit.ts';
import { type Handling, logFailure } from './handling.ts';
import { mountPoint, withoutMount } from './mount.ts';
import { bytesOf } from './parsed-body.ts';
import { REFUSAL_HEADERS, type RefusalStatus, refusalBody } from './refusal.ts';
import { webRequestId } from './request-id.ts';
import { bytesIn, streamOf } from './web-streams.ts';
import { abandonBody, isBodiless, isWhole } from './whole.ts';

/** Options of an adapter for web-standard requests. */
export interface WebOptions extends AnswerLimits {
  /** Path under which the controller is mounted, e.g. `/overlay`. Default: the root. Requests to other paths get 404. */
  readonly mount?: string;
}

/** Connection details, which a web-standard request lacks. */
export interface WebConnection {
  /** DER of the certificates that the client presented, leaf first. */
  readonly peerCertificates?: readonly Uint8Array[];
  readonly remoteAddress?: string | undefined;
  /** Returns the body as bytes, text, or a JSON value. Called only if the host has already consumed the body of the request. */
  readonly usedBody?: () => unknown;
}

/** Creates a response in the form that the host expects. */
export type Respond = (
  body: string | Bytes | ReadableStream<Uint8Array> | null,
  init: { status: number; headers: [name: string, value: string][] },
) => Response;

/** Answers a web-standard request with the controller. The promise never rejects. */
export type WebBridge = (request: Request, connection?: WebConnection, respond?: Respond) => Promise<Response>;

/** Creates the common part of all adapters for web-standard requests. */
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
            : bytesIn(request.body, limit),
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
    headers: Object.entries(headers).flatMap(([name, value]) => valuesOf(value).map((item): [string, string] => [name, item])),
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

const newResponse: Respond = (body, init) => new Response(body, init);
