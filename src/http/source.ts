import { type Actor, isAdministrator, isKnownToRouters } from '../call/actor.ts';
import type { BrowserHeaders, CallSource } from '../call/call-source.ts';
import type { Entry } from '../call/entry.ts';
import { JSON_LIMITS, LARGE_JSON_LIMITS } from '../call/json.ts';
import type { Credentials } from '../contract/api/surfaces/session-rule.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { invalidField } from '../contract/errors/index.ts';
import { CONDITIONAL_OPERATIONS } from '../contract/if-version.ts';
import { CHANGE_REASON } from '../contract/wire/change-reason.ts';
import { IDEMPOTENCY_KEY } from '../contract/wire/idempotency-key.ts';
import { LINES_TYPE } from '../contract/wire/media-types.ts';
import type { Release } from '../runtime/concurrency/semaphore.ts';
import type { Observation } from '../runtime/observability/observation.ts';
import { readBody } from './body.ts';
import { changeReason } from './change-reason.ts';
import type { Deadline } from './deadline.ts';
import type { DocumentPlaces } from './document-places.ts';
import { mediaType } from './media-types.ts';
import type { CoreRequest } from './message.ts';
import { parseQuery } from './query-string.ts';
import type { ServedOperation } from './served-operation.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { versionsIn } from './validators.ts';

/** The properties that all requests to a handler share. */
export interface HttpContext {
  readonly mounted: readonly Surface[];
  readonly maxBodyBytes: number;
  /** ms */
  readonly timeLimit: number;
  /** The controller's own instance, for hosts that do not provide one. */
  readonly unread: UnreadAnswers;
  readonly documents: DocumentPlaces;
}

export interface HttpSourceOptions {
  readonly context: HttpContext;
  readonly requestId: string;
  readonly request: CoreRequest;
  readonly served: ServedOperation;
  /** Path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: string;
  readonly deadline: Deadline;
  /** An error in the request itself, reported only to callers that may call the operation. */
  readonly refusal: Error | undefined;
  readonly observation: Observation | undefined;
  /** The offered media type that the client prefers. */
  readonly mediaType: string | undefined;
}

/**
 * A request as the pipeline sees it. Costly properties (signal, certificates, body) are created on demand. A class, because an object
 * literal with getters gets a new hidden class each time, which would cost more than all other work here.
 */
export class HttpSource implements CallSource {
  readonly requestId: string;
  readonly surface: Surface;
  readonly origin = 'http';
  readonly credentials: Credentials;
  readonly observation: Observation | undefined;
  readonly mediaType: string | undefined;
  readonly answerHeaders: NonNullable<CallSource['answerHeaders']> = new Map();
  readonly #options: HttpSourceOptions;
  #stage: 'session' | 'body' | 'work' = 'session';
  #session: string | undefined;
  #identity: string | undefined;
  #release: Release | undefined;
  #releaseDocument: Release | undefined;

  constructor(options: HttpSourceOptions) {
    this.requestId = options.requestId;
    this.surface = options.served.surface;
    this.credentials = this.surface.session.credentialsOf(options.request);
    this.observation = options.observation;
    this.mediaType = options.mediaType;
    this.#options = options;
  }

  /** The progress of the pipeline: checking the session, waiting for the body, or working. */
  get stage(): 'session' | 'body' | 'work' {
    return this.#stage;
  }

  get mounted(): readonly Surface[] {
    return this.#options.context.mounted;
  }

  get peerCertificates(): readonly Uint8Array[] {
    return this.#options.request.peerCertificates ?? NO_CERTIFICATES;
  }

  get remoteAddress(): string {
    return this.#options.request.remoteAddress ?? '';
  }

  get host(): string | undefined {
    return this.#options.request.header('host');
  }

  get mount(): string {
    const { mount = '' } = this.#options.request;
    return MOUNT.test(mount) ? mount : '';
  }

  /**
   * The reason of a change, from the header `x-change-reason`.
   * @throws ApiError `COULD_NOT_VALIDATE`
   */
  get reason(): string | undefined {
    const header = this.#options.request.header(CHANGE_REASON);
    return header === undefined ? undefined : changeReason(header);
  }

  get contentType(): string | undefined {
    const header = this.#options.request.header('content-type');
    return header === undefined ? undefined : mediaType(header);
  }

  get browser(): BrowserHeaders {
    const { request } = this.#options;
    return {
      origin: request.header('origin'),
      fetchSite: request.header('sec-fetch-site'),
      cookie: request.header('cookie'),
      languages: request.header('accept-language'),
    };
  }

  get ifNoneMatch(): string | undefined {
    return this.#options.request.header('if-none-match');
  }

  get timeLimit(): number {
    return this.#options.context.timeLimit;
  }

  get signal(): AbortSignal {
    return this.#options.deadline.signal;
  }

  get unread(): UnreadAnswers {
    return this.#options.request.unread ?? this.#options.context.unread;
  }

  /** True if the host itself bounds unread answers. */
  get isBounded(): boolean {
    return this.#options.request.unread !== undefined;
  }

  /** The client that an answer is held for: a session or, without one, an address. */
  get client(): string {
    return this.#session ?? this.remoteAddress;
  }

  admit(session: string | undefined): Promise<void> | undefined {
    const { credentials } = this;
    this.#session = session ?? (credentials.kind === 'token' ? credentials.token : undefined);
    if (this.#options.served.entry.operation.answer.is !== 'page') return undefined;
    const release = this.unread.admit(this.client, () => this.signal);
    if (typeof release === 'function') this.#release = release;
    else return this.#admitted(release);
    return undefined;
  }

  async #admitted(release: Promise<Release>): Promise<void> {
    this.#release = await release;
  }

  recognize(actor: Actor): void {
    const { request } = this.#options;
    if ('identity' in actor) this.#identity = actor.identity.id;
    if (!request.recognized || actor.kind === 'anonymous' || actor.kind === 'system') return;
    if (actor.kind === 'session' && actor.authQueries.length > 0) return;
    request.recognized({ id: actor.identity.id, isAdmin: hasFullRights(actor) });
  }

  /** Called when the answer is complete or has failed: admits the next request of the client. */
  release(): void {
    this.#release?.();
    this.#releaseDocument?.();
  }

  /** The header `x-override-policy-tests`. */
  get overridesTests(): boolean {
    return this.#options.request.header('x-override-policy-tests')?.trim().toLowerCase() === 'true';
  }

  /**
   * The header `x-max-lost`.
   * @throws ApiError `COULD_NOT_VALIDATE`
   */
  get maxLost(): number | undefined {
    const text = this.#options.request.header('x-max-lost');
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text.trim())) throw invalidField('x-max-lost', 'x-max-lost must be a number from 0', text);
    return Number(text);
  }

  /**
   * True if the client requests a preview (`Prefer: dry-run`; RFC 7240). Ignored for a GET, which has no effects.
   */
  get isPreview(): boolean {
    const { served, request } = this.#options;
    return served.entry.operation.method !== 'GET' && prefersDryRun(request.header('prefer'));
  }

  /**
   * The header `Idempotency-Key` of a POST, in quotes or not.
   * @throws ApiError `COULD_NOT_VALIDATE`
   */
  get idempotencyKey(): string | undefined {
    const { served, request } = this.#options;
    const header = served.entry.operation.method === 'POST' ? request.header('idempotency-key') : undefined;
    if (header === undefined) return undefined;
    const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
    if (!IDEMPOTENCY_KEY.test(key))
      throw invalidField('Idempotency-Key', 'Idempotency-Key must be 1 to 255 visible ASCII characters', undefined);
    return key;
  }

  refusal(): Error | undefined {
    this.#stage = 'work';
    return this.#options.refusal;
  }

  expectedVersions(): readonly number[] | undefined {
    return versionsIn(this.#options.request.header('if-match'));
  }

  /** Merges as `{ ...query, ...headers, ...path, body }`, so that a query parameter cannot override a path parameter. */
  input(isLarge = false): unknown | Promise<unknown> {
    this.#stage = 'work';
    void this.reason; // refuses an invalid one before anything is done
    const { served, parameters, query, request } = this.#options;
    const { entry, query: declared } = served;
    if (entry.operation.method !== 'GET') assertConditions(entry, request);
    const { headers } = entry.operation;
    const values =
      declared === undefined && headers === undefined
        ? parameters
        : { ...(declared && parseQuery(query, declared)), ...(headers && headerValues(request, headers)), ...parameters };
    return entry.operation.body === undefined ? values : this.#withBody(values, isLarge);
  }

  async #withBody(values: Readonly<Record<string, unknown>>, isLarge: boolean): Promise<unknown> {
    const { served, request, context } = this.#options;
    const { maxBodyBytes } = context;
    const declared = served.entry.operation.body;
    if (declared === undefined) return values;
    this.#stage = 'body';
    const limits = isLarge ? LARGE_JSON_LIMITS : JSON_LIMITS;
    const isInLines = isLarge && declared.media?.includes(LINES_TYPE) === true;
    if (isInLines) this.#releaseDocument = await this.#options.context.documents(this.#identity ?? this.client, this.signal);
    const factor = isInLines ? LINES_FACTOR : LARGE_BODY_FACTOR;
    const body = await readBody(request, declared, isLarge ? maxBodyBytes * factor : maxBodyBytes, limits);
    this.#stage = 'work';
    return body === undefined ? values : { ...values, body };
  }
}

/** True if a caller has all rights of an administrator, and no router or thief of a limited token has the same credentials. */
const hasFullRights = (actor: Actor): boolean =>
  isAdministrator(actor) && !isKnownToRouters(actor) && (actor.kind !== 'token' || actor.apiToken.isAdmin);

/**
 * @throws ApiError `COULD_NOT_VALIDATE` for a condition that the operation would not check, because the client relies on it
 */
const assertConditions = ({ group, verb, operation }: Entry, request: CoreRequest): void => {
  if (!operation.isConditional && request.header('if-match') !== undefined)
    throw invalidField('If-Match', `${group}.${verb} does not accept If-Match: ${CONDITIONAL_OPERATIONS}`, request.header('if-match'));
  if (request.header('if-none-match') !== undefined)
    throw invalidField('If-None-Match', `${group}.${verb} does not accept If-None-Match: only reads do`, request.header('if-none-match'));
};

const headerValues = (request: CoreRequest, headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, request.header(header)]));

/** True if a `Prefer` header contains the preference `dry-run`, with or without a value. */
const prefersDryRun = (header: string | undefined): boolean => header?.split(/[,;]/).some((each) => DRY_RUN.test(each)) ?? false;

const DRY_RUN = /^\s*dry-run\s*(=|$)/i;

/** A valid mount path. It becomes part of addresses, and some hosts take it from the request, so it is checked. */
const MOUNT = /^(\/[\w.~%!$&'()*+,;=:@-]{1,100}){1,10}$/;

/** The factor by which large bodies may exceed `maxBodyBytes`. */
const LARGE_BODY_FACTOR = 8;
/** The factor for large bodies in lines, of which only one line at a time is parsed. */
const LINES_FACTOR = 64;

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
