import type { Credentials } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { BrowserHeaders, CallSource, Entry } from '../call/call.ts';
import { JSON_LIMITS, LARGE_JSON_LIMITS } from '../call/json.ts';
import type { Release } from '../concurrency/semaphore.ts';
import { invalidField } from '../errors/index.ts';
import { TAKES_VERSION } from '../if-version.ts';
import type { Observation } from '../observability/observation.ts';
import { IDEMPOTENCY_KEY } from '../wire/idempotency-key.ts';
import { versionsIn } from './answer.ts';
import { readBody } from './body.ts';
import { CHANGE_REASON, changeReason } from './change-reason.ts';
import type { Deadline } from './deadline.ts';
import { mediaType } from './media-types.ts';
import type { CoreRequest } from './message.ts';
import { parseQuery, type QueryParameters } from './query-string.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface HttpSourceOptions {
  readonly requestId: string;
  readonly request: CoreRequest;
  readonly entry: Entry;
  readonly surface: Surface;
  readonly mounted: readonly Surface[];
  /** Path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: string;
  readonly declared: QueryParameters | undefined;
  readonly maxBodyBytes: number;
  readonly deadline: Deadline;
  /** ms */
  readonly timeLimit: number;
  /** An error in the request itself, reported only to callers that may call the operation. */
  readonly refusal: Error | undefined;
  readonly observation: Observation | undefined;
  /** The offered media type that the client prefers. */
  readonly mediaType: string | undefined;
  /** The controller's own instance, for hosts that do not provide one. */
  readonly unread: UnreadAnswers;
}

/**
 * A request as the pipeline sees it. Costly parts (signal, certificates, body) are created on demand. It is a class, because an object literal with getters
 * gets a new hidden class each time, which costs more than everything else that a request takes here.
 */
export class HttpSource implements CallSource {
  readonly requestId: string;
  readonly surface: Surface;
  readonly origin = 'http';
  readonly credentials: Credentials;
  readonly observation: Observation | undefined;
  readonly answerHeaders: NonNullable<CallSource['answerHeaders']> = new Map();
  readonly #options: HttpSourceOptions;
  #stage: 'session' | 'body' | 'work' = 'session';
  #session: string | undefined;
  #release: Release | undefined;

  constructor(options: HttpSourceOptions) {
    this.requestId = options.requestId;
    this.surface = options.surface;
    this.credentials = options.surface.session.credentialsOf(options.request);
    this.observation = options.observation;
    this.#options = options;
  }

  /** How far the pipeline has come: checking the session, waiting for the body, or working. */
  get stage(): 'session' | 'body' | 'work' {
    return this.#stage;
  }

  get mounted(): readonly Surface[] {
    return this.#options.mounted;
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

  /** The reason of a change, from the header `x-change-reason`. @throws ApiError `COULD_NOT_VALIDATE` */
  get reason(): string | undefined {
    return changeReason(this.#options.request.header(CHANGE_REASON));
  }

  get contentType(): string | undefined {
    const header = this.#options.request.header('content-type');
    return header === undefined ? undefined : mediaType(header);
  }

  get mediaType(): string | undefined {
    return this.#options.mediaType;
  }

  get browser(): BrowserHeaders {
    const { request } = this.#options;
    return { origin: request.header('origin'), fetchSite: request.header('sec-fetch-site'), cookie: request.header('cookie') };
  }

  get ifNoneMatch(): string | undefined {
    return this.#options.request.header('if-none-match');
  }

  get timeLimit(): number {
    return this.#options.timeLimit;
  }

  get signal(): AbortSignal {
    return this.#options.deadline.signal;
  }

  get unread(): UnreadAnswers {
    return this.#options.request.unread ?? this.#options.unread;
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
    if (this.#options.entry.operation.answer.is !== 'page') return undefined;
    const release = this.unread.admit(this.client, () => this.signal);
    if (typeof release === 'function') this.#release = release;
    else return this.#admitted(release);
    return undefined;
  }

  async #admitted(release: Promise<Release>): Promise<void> {
    this.#release = await release;
  }

  /** Called when the answer is complete or has failed: admits the next request of the client. */
  release(): void {
    this.#release?.();
  }

  /** The header `x-override-policy-tests`. */
  get overridesTests(): boolean {
    return this.#options.request.header('x-override-policy-tests')?.trim().toLowerCase() === 'true';
  }

  /** The header `x-max-lost`. @throws ApiError `COULD_NOT_VALIDATE` */
  get maxLost(): number | undefined {
    const text = this.#options.request.header('x-max-lost');
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text.trim())) throw invalidField('x-max-lost', 'x-max-lost must be a number from 0', text);
    return Number(text);
  }

  /** True if the client prefers to be told what the request would do (`Prefer: dry-run`; RFC 7240). A request that only reads does nothing anyway. */
  get isPreview(): boolean {
    const { entry, request } = this.#options;
    return entry.operation.method !== 'GET' && prefersDryRun(request.header('prefer'));
  }

  /** The header `Idempotency-Key` of a POST, in quotes or not. @throws ApiError `COULD_NOT_VALIDATE` */
  get idempotencyKey(): string | undefined {
    const { entry, request } = this.#options;
    const header = entry.operation.method === 'POST' ? request.header('idempotency-key') : undefined;
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
    const { declared, entry, parameters, query, request } = this.#options;
    if (entry.operation.method !== 'GET') assertConditions(entry, request);
    const { headers } = entry.operation;
    const values =
      declared === undefined && headers === undefined
        ? parameters
        : { ...(declared && parseQuery(query, declared)), ...(headers && headerValues(request, headers)), ...parameters };
    return entry.operation.body === undefined ? values : this.#withBody(values, isLarge);
  }

  async #withBody(values: Readonly<Record<string, unknown>>, isLarge: boolean): Promise<unknown> {
    const { entry, request, maxBodyBytes } = this.#options;
    const declared = entry.operation.body;
    if (declared === undefined) return values;
    this.#stage = 'body';
    const limits = isLarge ? LARGE_JSON_LIMITS : JSON_LIMITS;
    const body = await readBody(request, declared, isLarge ? maxBodyBytes * LARGER : maxBodyBytes, limits);
    this.#stage = 'work';
    return body === undefined ? values : { ...values, body };
  }
}

/**
 * A condition that would not be checked is refused, because the client relies on it.
 * @throws ApiError `COULD_NOT_VALIDATE`
 */
const assertConditions = ({ group, verb, operation }: Entry, request: CoreRequest): void => {
  if (!operation.isConditional && request.header('if-match') !== undefined)
    throw invalidField('If-Match', `${group}.${verb} takes no If-Match: ${TAKES_VERSION}`, request.header('if-match'));
  if (request.header('if-none-match') !== undefined)
    throw invalidField('If-None-Match', `${group}.${verb} takes no If-None-Match: only reads do`, request.header('if-none-match'));
};

const headerValues = (request: CoreRequest, headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, request.header(header)]));

/** Whether a `Prefer` header holds the preference `dry-run`, with or without a value. */
const prefersDryRun = (header: string | undefined): boolean => header?.split(/[,;]/).some((each) => DRY_RUN.test(each)) ?? false;

const DRY_RUN = /^\s*dry-run\s*(=|$)/i;

/** A valid mount path. It becomes part of addresses, and some hosts take it from the request, so it is checked. */
const MOUNT = /^(\/[\w.~%!$&'()*+,;=:@-]{1,100}){1,10}$/;

/** How many times as many bytes as others a large body may have. */
const LARGER = 8;

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
