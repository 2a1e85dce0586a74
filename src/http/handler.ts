import type { Entry, Invoke } from '../call/entry.ts';
import type { Settings } from '../call/settings.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { software } from '../contract/version.ts';
import { isRequestId, requestIds } from '../contract/wire/request-id.ts';
import { SAFE_HEADERS } from '../contract/wire/safe-headers.ts';
import { Observation } from '../runtime/observability/observation.ts';
import type { Observer } from '../runtime/observability/observer.ts';
import { createSharedTimer } from '../runtime/platform/clock.ts';
import type { Platform } from '../runtime/platform/platform.ts';
import { createFormat, isWhole } from './answer.ts';
import { createCors } from './cors.ts';
import { bodyTooLate, Deadline, tooLate } from './deadline.ts';
import { createDocumentPlaces } from './document-places.ts';
import { abandon } from './event-stream.ts';
import { countUnread, heldBody, produce } from './held-body.ts';
import type { Incoming } from './incoming.ts';
import { negotiate } from './media-types.ts';
import type { CoreAnswer, CoreRequest } from './message.ts';
import { createRefuse, type Refuse } from './refusal.ts';
import { createRouter, splitTarget, surfacesOf } from './router.ts';
import type { ServedOperation } from './served-operation.ts';
import { type HttpContext, HttpSource } from './source.ts';
import { createStreams, type StreamLimits, streamClientOf } from './streams.ts';
import { createUnreadAnswers } from './unread-answers.ts';
import { CHANNEL_PATH, malformed, routeError, unacceptable, withoutUpgrade } from './unroutable.ts';

export interface HandlerOptions {
  readonly entries: readonly Entry[];
  /** The surfaces to serve. Default: all surfaces of the operations. */
  readonly surfaces?: readonly Surface[];
  readonly invoke: Invoke;
  readonly settings: Pick<Settings, 'maxBodyBytes' | 'requestTimeoutMs' | 'corsOrigins' | keyof StreamLimits>;
  readonly platform: Pick<Platform, 'random' | 'logger'>;
  /** Default: none. */
  readonly observer?: Observer | undefined;
}

/** Answers one request. Never rejects: every error becomes an answer. */
export type Handle = (request: CoreRequest) => Promise<CoreAnswer>;

/**
 * Handles requests. The order of checks is part of the wire contract: path 404, method 405, session 401, `Content-Type` 415, body 413,
 * parameters and body 400, then permissions and the operation itself. An `Accept` header that allows no answer gets 406, after session and
 * permissions, and before the rest. From the session on, `invoke` performs the checks, and reads the input in between.
 */
export const createHandler = (options: HandlerOptions): Handle => {
  const { entries, surfaces = surfacesOf(entries), settings, platform, observer } = options;
  const ownHeaders = entries.flatMap(({ operation }) => Object.values(operation.headers ?? {}));
  const cors = createCors(settings.corsOrigins, surfaces, ownHeaders);
  const newRequestId = requestIds(platform.random);
  /** The id given by the host or the client if it is safe in logs, otherwise a new one. */
  const requestIdOf = (request: CoreRequest): string => {
    const { requestId } = request;
    if (isRequestId(requestId)) return requestId;
    const header = request.header('x-request-id');
    return isRequestId(header) ? header : newRequestId();
  };
  const common = Object.freeze({ ...SAFE_HEADERS, server: software.name, 'ziti-instance-id': newRequestId() });
  const refuse = createRefuse(common, platform.logger);
  const answer = createAnswer({ ...options, surfaces, common, refuse });
  return async (request) => {
    const id = requestIdOf(request);
    const incoming = { id, request, observation: observer && observationOf(observer, id, request) };
    let result: CoreAnswer;
    try {
      result =
        request.method === 'OPTIONS'
          ? { status: 200, headers: { ...common, ...cors.preflight(request) }, body: '' }
          : await answer(incoming);
    } catch (error) {
      result = refuse(error, incoming);
    }
    incoming.observation?.end(result.status);
    const granted = cors.headers(request.header('origin'));
    return granted === undefined ? result : { ...result, headers: { ...result.headers, ...granted } };
  };
};

interface AnswerParts extends HandlerOptions {
  readonly surfaces: readonly Surface[];
  /** The headers of every answer. */
  readonly common: Readonly<Record<string, string>>;
  readonly refuse: Refuse;
}

/** Answers requests to operations, and refuses all others. */
const createAnswer = (parts: AnswerParts) => {
  const { entries, surfaces, settings, platform, common, refuse } = parts;
  const route = createRouter(entries, surfaces);
  const limit = createSharedTimer(settings.requestTimeoutMs);
  const serve = createServe(parts);
  const context: HttpContext = {
    mounted: surfaces,
    maxBodyBytes: settings.maxBodyBytes,
    timeLimit: settings.requestTimeoutMs,
    unread: createUnreadAnswers(),
    documents: createDocumentPlaces(),
  };
  return (incoming: Incoming): CoreAnswer | Promise<CoreAnswer> => {
    const { id, request, observation } = incoming;
    const { path, query } = splitTarget(request.target);
    const found = route(request.method, path);
    if (found.is === 'malformed') return malformed(common);
    if (found.is !== 'found' && path === CHANNEL_PATH && surfaces.some(({ name }) => name === 'fabric')) return withoutUpgrade(common);
    if (found.is !== 'found') return refuse(routeError(found, request.method, path), incoming, found.surface);
    const { served, surface, parameters } = found;
    const { offers } = served;
    const { operation } = served.entry;
    const mediaType = negotiate(request.header('accept'), offers);
    const deadline = new Deadline(limit, request);
    const source = new HttpSource({
      context,
      requestId: id,
      request,
      served,
      parameters,
      query,
      deadline,
      refusal: mediaType === undefined && offers.length > 0 ? unacceptable(offers, request, operation.body) : undefined,
      observation,
      mediaType,
    });
    observation?.setDestination(served.destination, source.credentials.kind === 'token');
    const onLate = () => {
      // A body that does not arrive is the client's fault (408); work that does not finish is ours (503).
      if (source.stage === 'body') return bodyTooLate('the body did not arrive in time');
      platform.logger.warn('a request exceeded the time limit, settings.requestTimeoutMs', {
        requestId: id,
        operationId: operation.operationId,
        milliseconds: settings.requestTimeoutMs,
      });
      return tooLate(operation);
    };
    return deadline
      .race(serve(source, served, deadline), onLate, discard)
      .catch((error: unknown) => refuse(error, incoming, surface, source));
  };
};

/** Invokes operations, and forms the answers from their output. */
const createServe = ({ invoke, settings, platform, common }: AnswerParts) => {
  const { logger, random } = platform;
  const format = createFormat(common, random);
  const streams = createStreams(settings, logger);
  return async (source: HttpSource, served: ServedOperation, deadline: Deadline): Promise<CoreAnswer> => {
    const { entry } = served;
    const { operation } = entry;
    let production: Promise<void> | undefined;
    try {
      const result = await invoke(entry, source);
      const { status, headers, body } = format(served, result, source);
      // If the host does not bound unread answers, even large texts are passed to it whole.
      if (isWhole(body) && !source.isBounded) return { status, headers, body };
      const { unread, client } = source;
      if (isWhole(body)) return countUnread({ status, headers, body }, unread, client);
      const logContext = { requestId: source.requestId, operationId: operation.operationId };
      if (operation.answer.is === 'page' || operation.answer.is === 'data') {
        const held = heldBody(unread, client);
        production = produce(held, body, (error) =>
          logger.error('an answer was cut off: producing its content failed', { ...logContext, error }),
        );
        return { status, headers, body: held.body, signal: held.signal };
      }
      const streamClient = streamClientOf(result.actor, source);
      const hasEnd = operation.answer.is === 'response' && operation.answer.hasEnd === true;
      const stream = streams.open(body, streamClient, deadline, logContext, hasEnd);
      return countUnread({ status, headers, body: stream, isEndless: !hasEnd }, unread, streamClient.name);
    } finally {
      if (production) void production.then(() => source.release());
      else source.release();
    }
  };
};

const observationOf = (observer: Observer, requestId: string, request: CoreRequest): Observation =>
  new Observation(observer, {
    requestId,
    transport: 'http',
    method: request.method,
    remoteAddress: request.remoteAddress ?? '',
    traceparent: ifBrief(request.header('traceparent')),
    tracestate: ifBrief(request.header('tracestate')),
  });

/** Drops trace context values that exceed the length that must be propagated (W3C Trace Context, 3.3.1.5). */
const ifBrief = (value: string | undefined): string | undefined => (value !== undefined && value.length > 512 ? undefined : value);

const discard = ({ body }: CoreAnswer): void => {
  if (!isWhole(body)) abandon(body[Symbol.asyncIterator]());
};
