import type { Api, Operation } from '../api/kit/operation.ts';
import type { Entry, Invoke } from '../call/call.ts';
import type { Settings } from '../call/settings.ts';
import { ApiError, invalidField, type MessageCause } from '../errors/index.ts';
import type { Platform } from '../platform/platform.ts';
import { software } from '../version.ts';
import { createCors } from './cors.ts';
import { Deadline, timeout, tooLate } from './deadline.ts';
import { envelope, errorEnvelope, type RawOutput } from './envelope.ts';
import { JSON_TYPE, negotiate } from './media-types.ts';
import type { CoreAnswer, CoreRequest } from './message.ts';
import { splitTarget } from './path.ts';
import { type QueryParameters, queryParameters } from './query-string.ts';
import { refusalHeaders, toApiError } from './refusal.ts';
import { requestIds } from './request-ids.ts';
import { createRouter } from './router.ts';
import { SAFE_HEADERS } from './safe-headers.ts';
import { ANONYMOUS, HttpSource } from './source.ts';

export interface HandlerOptions {
  readonly entries: readonly Entry[];
  /** Those that are answered for; default all. */
  readonly apis?: readonly Api[];
  readonly invoke: Invoke;
  readonly settings: Pick<Settings, 'maxBodyBytes' | 'requestTimeoutMs' | 'corsOrigins'>;
  readonly platform: Pick<Platform, 'random' | 'logger'>;
}

/** Answers one request. Never rejects: whatever goes wrong is an answer. */
export type Handle = (request: CoreRequest) => Promise<CoreAnswer>;

/**
 * Requests in, answers out. The order of the checks is the wire's: path 404, method 405, session 401, `Content-Type` 415, body 413, parameters and body 400,
 * then rights and the operation itself. An `Accept` that leaves no answer is 406 after the session and the rights, and before the rest. From the session on
 * the checks are made by `invoke`, which asks for the input in between.
 */
export const createHandler = ({ entries, apis, invoke, settings, platform }: HandlerOptions): Handle => {
  const route = createRouter(entries, apis);
  const plans = new Map(entries.map((entry) => [entry, planOf(entry.operation)]));
  const cors = createCors(
    settings.corsOrigins,
    entries.flatMap(({ operation }) => Object.values(operation.headers ?? {})),
  );
  const requestId = requestIds(platform.random);
  const common = Object.freeze({ ...SAFE_HEADERS, server: software.name, 'ziti-instance-id': requestId() });
  const json = Object.freeze({ 'content-type': JSON_TYPE, ...common });

  const refuse = (error: unknown, id: string, request: CoreRequest, source?: HttpSource): CoreAnswer => {
    const known = toApiError(error, platform.logger, { requestId: id, method: request.method, path: splitTarget(request.target).path });
    const more = refusalHeaders(known, source?.credentials ?? ANONYMOUS, source?.stage === 'session');
    return { status: known.status, headers: { ...json, ...more }, body: errorEnvelope(known, id) };
  };

  const call = async (source: HttpSource, entry: Entry, plan: Plan, wanted: string | undefined): Promise<CoreAnswer> => {
    const { output, headers, isAccepted } = await invoke(entry, source);
    const { answer } = entry.operation;
    if (answer.is !== 'raw')
      return { status: isAccepted ? 202 : plan.status, headers: extended(json, headers), body: envelope(answer, output) };
    const { contentType, body } = output as RawOutput; // what such an operation declares to return
    return { status: plan.status, headers: extended({ ...common, 'content-type': labelled(contentType, wanted) }, headers), body };
  };

  const answer = (request: CoreRequest, id: string): CoreAnswer | Promise<CoreAnswer> => {
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
    if (found.is === 'pathUnknown') throw new ApiError('NOT_FOUND', { cause: unhandled(`path ${path.slice(0, 256)} was not found`) });
    if (found.is === 'methodUnknown')
      throw new ApiError('METHOD_NOT_ALLOWED', {
        cause: unhandled(`method ${method.slice(0, 32)} is not allowed, but [${found.allowed.join()}] are`),
      });
    const { entry, api, parameters } = found;
    const plan = plans.get(entry) as Plan; // every entry of the router has one
    const accept = request.header('accept');
    const wanted = negotiate(accept, plan.offers);

    const deadline = new Deadline(settings.requestTimeoutMs, request);
    const source = new HttpSource({
      requestId: id,
      request,
      entry,
      api,
      parameters,
      query,
      declared: plan.query,
      maxBodyBytes: settings.maxBodyBytes,
      deadline,
      timeLimit: settings.requestTimeoutMs,
      refusal: wanted === undefined ? unacceptable(plan, accept) : undefined,
    });
    const late = () => {
      // A body that does not come is the client's fault, work that does not end is ours.
      if (source.stage === 'body') return timeout('the body did not come in time', 408);
      platform.logger.warn('a request took too long', {
        requestId: id,
        operationId: entry.operation.operationId,
        milliseconds: settings.requestTimeoutMs,
      });
      return tooLate(entry.operation);
    };
    return deadline.race(call(source, entry, plan, wanted), late).catch((error: unknown) => refuse(error, id, request, source));
  };

  return async (request) => {
    const id = requestId();
    let result: CoreAnswer;
    try {
      result = await answer(request, id);
    } catch (error) {
      result = refuse(error, id, request);
    }
    const granted = cors.headers(request.header('origin'));
    return granted === undefined ? result : { ...result, headers: { ...result.headers, ...granted } };
  };
};

/** What is known of an operation before any request. */
interface Plan {
  readonly status: number;
  /** Media types of its answer. */
  readonly offers: readonly string[];
  readonly query: QueryParameters | undefined;
}

const planOf = ({ answer, status, query }: Operation): Plan => ({
  status: status ?? (answer.is === 'created' ? 201 : 200),
  offers: answer.is === 'raw' ? answer.contentTypes : [JSON_TYPE],
  query: query && queryParameters(query),
});

/** Every JSON text is YAML, too. */
const labelled = (given: string, wanted: string | undefined): string => (given === JSON_TYPE && wanted === 'text/yaml' ? wanted : given);

const extended = (headers: Readonly<Record<string, string>>, more: ReadonlyMap<string, string>): Readonly<Record<string, string>> => {
  if (more.size === 0) return headers;
  const all: Record<string, string> = { ...headers };
  for (const [name, value] of more) all[name] = value;
  return all;
};

const unacceptable = ({ offers }: Plan, accept: string | undefined): ApiError =>
  invalidField('Accept', `none of [${offers.join()}] is accepted`, accept, 406);

const unhandled = (message: string): MessageCause => ({ code: 'UNHANDLED', message });
