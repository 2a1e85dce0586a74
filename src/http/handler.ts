import type { Body } from '../api/kit/operation.ts';
import { errorAndMeta } from '../api/surfaces/edge-envelope.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { type Actor, isAdministrator } from '../call/actor.ts';
import type { Entry, Invoke } from '../call/call.ts';
import { destinationOf } from '../call/observed.ts';
import type { Settings } from '../call/settings.ts';
import { ApiError, invalidField, type MessageCause } from '../errors/index.ts';
import { Observation } from '../observability/observation.ts';
import type { Observer } from '../observability/observer.ts';
import { createSharedTimer } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { software } from '../version.ts';
import { JSON_TYPE } from '../wire/media-types.ts';
import { isRequestId, requestIds } from '../wire/request-id.ts';
import { SAFE_HEADERS } from '../wire/safe-headers.ts';
import { formatAnswer, isWhole } from './answer.ts';
import { createCors } from './cors.ts';
import { Deadline, timeout, tooLate } from './deadline.ts';
import { abandon } from './event-stream.ts';
import { countUnread, heldBody, produce } from './held-body.ts';
import { mediaType, negotiate, offersOf } from './media-types.ts';
import type { CoreAnswer, CoreRequest } from './message.ts';
import { queryParameters } from './query-string.ts';
import { refusalHeaders, toApiError } from './refusal.ts';
import { createRouter, splitTarget, surfacesOf } from './router.ts';
import { HttpSource } from './source.ts';
import { createStreams, type StreamClient, type StreamLimits } from './streams.ts';
import { createUnreadAnswers } from './unread-answers.ts';
import { createValidators } from './validators.ts';

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

/** A request that is being answered. */
interface Incoming {
  readonly id: string;
  readonly request: CoreRequest;
  readonly observation: Observation | undefined;
}

/** Answers one request. Never rejects: every error becomes an answer. */
export type Handle = (request: CoreRequest) => Promise<CoreAnswer>;

/**
 * Handles requests. The order of checks is part of the wire contract: path 404, method 405, session 401, `Content-Type` 415, body 413, parameters and
 * body 400, then permissions and the operation itself. An `Accept` header that allows no answer gets 406, after session and permissions, and before the
 * rest. From the session on, `invoke` performs the checks, and reads the input in between.
 */
export const createHandler = ({
  entries,
  surfaces = surfacesOf(entries),
  invoke,
  settings,
  platform,
  observer,
}: HandlerOptions): Handle => {
  const route = createRouter(entries, surfaces);
  const queries = new Map(entries.map(({ operation }) => [operation, queryParameters(operation)]));
  const cors = createCors(
    settings.corsOrigins,
    surfaces,
    entries.flatMap(({ operation }) => Object.values(operation.headers ?? {})),
  );
  const limit = createSharedTimer(settings.requestTimeoutMs);
  const newRequestId = requestIds(platform.random);
  /** The id given by the host or the client if it is safe in logs, otherwise a new one. */
  const requestIdOf = (request: CoreRequest): string => {
    const { requestId } = request;
    if (isRequestId(requestId)) return requestId;
    const header = request.header('x-request-id');
    return isRequestId(header) ? header : newRequestId();
  };
  const streams = createStreams(settings, platform.logger);
  const unread = createUnreadAnswers();
  const validate = createValidators(platform.random);
  const common = Object.freeze({ ...SAFE_HEADERS, server: software.name, 'ziti-instance-id': newRequestId() });

  /** @param surface the surface whose prefix the path has, if any */
  const refuse = (error: unknown, incoming: Incoming, surface?: Surface, source?: HttpSource): CoreAnswer => {
    const { id, request, observation } = incoming;
    const apiError = toApiError(error, platform.logger, { requestId: id, method: request.method, path: splitTarget(request.target).path });
    observation?.setErrorCode(apiError.code);
    const extraHeaders = surface && refusalHeaders(apiError, surface, source);
    const { contentType: defaultType, write } = surface?.errorForm ?? errorAndMeta;
    const { status = apiError.status, contentType = defaultType, body } = write(apiError, id);
    return { status, headers: { 'content-type': contentType, ...common, ...extraHeaders }, body };
  };

  const call = async (source: HttpSource, entry: Entry, deadline: Deadline, preferred: string | undefined): Promise<CoreAnswer> => {
    const { operation } = entry;
    let production: Promise<void> | undefined;
    try {
      const result = await invoke(entry, source);
      const formatted = formatAnswer(source.surface, operation, result, preferred, common);
      const { body, ...answer } = validate(operation, formatted, source.ifNoneMatch);
      // If the host does not bound unread answers, even large texts are passed to it whole.
      if (isWhole(body) && !source.isBounded) return { ...answer, body };
      const { unread, client } = source;
      if (isWhole(body)) return countUnread({ ...answer, body }, unread, client);
      const context = { requestId: source.requestId, operationId: operation.operationId };
      if (operation.answer.is === 'page' || operation.answer.is === 'data') {
        const held = heldBody(unread, client);
        production = produce(held, body, (error) =>
          platform.logger.error('an answer was cut off: producing its content failed', { ...context, error }),
        );
        return { ...answer, body: held.body, signal: held.signal };
      }
      const streamClient = clientOf(result.actor, source);
      const stream = streams.open(body, streamClient, deadline, context);
      return countUnread({ ...answer, body: stream, isEndless: true }, unread, streamClient.name);
    } finally {
      if (production) void production.then(() => source.release());
      else source.release();
    }
  };

  const answer = (incoming: Incoming): CoreAnswer | Promise<CoreAnswer> => {
    const { id, request, observation } = incoming;
    const { method } = request;
    if (method === 'OPTIONS') return { status: 200, headers: { ...common, ...cors.preflight(request) }, body: '' };
    const { path, query } = splitTarget(request.target);
    const found = route(method, path);
    if (found.is === 'malformed')
      return {
        status: 400,
        headers: { ...common, 'content-type': 'text/plain; charset=utf-8' },
        body: 'Bad Request: malformed escape in the path\n',
      };
    if (found.is === 'pathUnknown') {
      const cause = unhandled(`path ${path.slice(0, 256)} was not found`);
      return refuse(new ApiError('NOT_FOUND', { cause }), incoming, found.surface);
    }
    if (found.is === 'methodUnknown') {
      const cause = unhandled(`method ${method.slice(0, 32)} is not allowed, but [${found.allowed.join()}] are`);
      return refuse(new ApiError('METHOD_NOT_ALLOWED', { cause }), incoming, found.surface);
    }
    const { entry, surface, parameters } = found;
    const offers = offersOf(surface, entry.operation);
    const accept = request.header('accept');
    const preferred = negotiate(accept, offers);

    const deadline = new Deadline(limit, request);
    const source = new HttpSource({
      requestId: id,
      request,
      entry,
      surface,
      mounted: surfaces,
      parameters,
      query,
      declared: queries.get(entry.operation),
      maxBodyBytes: settings.maxBodyBytes,
      deadline,
      timeLimit: settings.requestTimeoutMs,
      refusal: preferred === undefined && offers.length > 0 ? unacceptable(offers, request, entry.operation.body) : undefined,
      observation,
      mediaType: preferred,
      unread,
    });
    observation?.setDestination(destinationOf(entry, surface, source.credentials));
    const onLate = () => {
      // A body that does not arrive is the client's fault (408); work that does not finish is ours (503).
      if (source.stage === 'body') return timeout('the body did not come in time', 408);
      platform.logger.warn('a request exceeded the time limit, settings.requestTimeoutMs', {
        requestId: id,
        operationId: entry.operation.operationId,
        milliseconds: settings.requestTimeoutMs,
      });
      return tooLate(entry.operation);
    };
    return deadline
      .race(call(source, entry, deadline, preferred), onLate, discard)
      .catch((error: unknown) => refuse(error, incoming, surface, source));
  };

  return async (request) => {
    const id = requestIdOf(request);
    const incoming = { id, request, observation: observer && observationOf(observer, id, request) };
    let result: CoreAnswer;
    try {
      result = await answer(incoming);
    } catch (error) {
      result = refuse(error, incoming);
    }
    incoming.observation?.end(result.status);
    const granted = cors.headers(request.header('origin'));
    return granted === undefined ? result : { ...result, headers: { ...result.headers, ...granted } };
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

/** The client that limits apply to: an identity, across all of its sessions, or else an address. */
const clientOf = (actor: Actor | undefined, { remoteAddress }: HttpSource): StreamClient =>
  actor && 'identity' in actor
    ? { name: actor.identity.id, isAdministrator: isAdministrator(actor) }
    : { name: remoteAddress, isAdministrator: false };

/** The error if the client accepts no offered media type: 406, or 415 for a body other than JSON if the operation declares an error for such bodies. */
const unacceptable = (offers: readonly string[], request: CoreRequest, body: Body | undefined): Error => {
  const cause = { field: 'Accept', reason: `none of [${offers.join()}] is accepted`, value: request.header('accept') ?? '' };
  const isOther = body?.unsupported !== undefined && mediaType(request.header('content-type') ?? JSON_TYPE) !== JSON_TYPE;
  return isOther ? new ApiError(body.unsupported, { cause, status: 415 }) : invalidField(cause.field, cause.reason, cause.value, 406);
};

const unhandled = (message: string): MessageCause => ({ code: 'UNHANDLED', message });
