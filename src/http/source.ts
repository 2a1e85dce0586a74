import type { Credentials } from '../api/surfaces/session-rule.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import type { BrowserHeaders, CallSource, Entry } from '../call/call.ts';
import type { Release } from '../concurrency/semaphore.ts';
import type { Observation } from '../observability/observation.ts';
import { versionsIn } from './answer.ts';
import { readBody } from './body.ts';
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
  /** Path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: string;
  readonly declared: QueryParameters | undefined;
  readonly maxBodyBytes: number;
  readonly deadline: Deadline;
  /** ms */
  readonly timeLimit: number;
  /** A fault of the request itself, reported only to callers that have the right to the operation. */
  readonly refusal: Error | undefined;
  readonly observation: Observation | undefined;
  /** The offered media type that the client prefers. */
  readonly mediaType: string | undefined;
  /** The controller's default, for hosts without one. */
  readonly unread: UnreadAnswers;
}

/**
 * A request as the pipeline sees it. Costly parts (signal, certificates, body) are created on demand. A class, because an object literal with getters
 * gets a new hidden class each time, which costs more than the rest of a request's path.
 */
export class HttpSource implements CallSource {
  readonly requestId: string;
  readonly surface: Surface;
  readonly credentials: Credentials;
  readonly observation: Observation | undefined;
  readonly #of: HttpSourceOptions;
  #stage: 'session' | 'body' | 'work' = 'session';
  #session: string | undefined;
  #made: Release | undefined;

  constructor(options: HttpSourceOptions) {
    this.requestId = options.requestId;
    this.surface = options.surface;
    this.credentials = options.surface.session.credentialsOf(options.request);
    this.observation = options.observation;
    this.#of = options;
  }

  /** How far the pipeline has come: checking the session, waiting for the body, or working. */
  get stage(): 'session' | 'body' | 'work' {
    return this.#stage;
  }

  get peerCertificates(): readonly Uint8Array[] {
    return this.#of.request.peerCertificates ?? NO_CERTIFICATES;
  }

  get remoteAddress(): string {
    return this.#of.request.remoteAddress ?? '';
  }

  get host(): string | undefined {
    return this.#of.request.header('host');
  }

  get mount(): string {
    const { mount = '' } = this.#of.request;
    return MOUNT.test(mount) ? mount : '';
  }

  get contentType(): string | undefined {
    const header = this.#of.request.header('content-type');
    return header === undefined ? undefined : mediaType(header);
  }

  get mediaType(): string | undefined {
    return this.#of.mediaType;
  }

  get browser(): BrowserHeaders {
    const { request } = this.#of;
    return { origin: request.header('origin'), fetchSite: request.header('sec-fetch-site'), cookie: request.header('cookie') };
  }

  get timeLimit(): number {
    return this.#of.timeLimit;
  }

  get signal(): AbortSignal {
    return this.#of.deadline.signal;
  }

  get unread(): UnreadAnswers {
    return this.#of.request.unread ?? this.#of.unread;
  }

  /** True if the host itself bounds unread answers. */
  get isBounded(): boolean {
    return this.#of.request.unread !== undefined;
  }

  /** The client for which an answer is held: a session or, without one, an address. */
  get client(): string {
    return this.#session ?? this.remoteAddress;
  }

  admit(session: string | undefined): Promise<void> | undefined {
    const { credentials } = this;
    this.#session = session ?? (credentials.kind === 'token' ? credentials.token : undefined);
    if (this.#of.entry.operation.answer.is !== 'page') return undefined;
    const made = this.unread.admit(this.client, () => this.signal);
    if (typeof made === 'function') this.#made = made;
    else return this.#admitted(made);
    return undefined;
  }

  async #admitted(made: Promise<Release>): Promise<void> {
    this.#made = await made;
  }

  /** Called when the answer is complete, or failed. */
  made(): void {
    this.#made?.();
  }

  refusal(): Error | undefined {
    this.#stage = 'work';
    return this.#of.refusal;
  }

  expectedVersions(): readonly number[] | undefined {
    return versionsIn(this.#of.request.header('if-match'));
  }

  /** `{ ...query, ...headers, ...path, body }`: a parameter of the path cannot be overridden by one of the query. */
  input(): unknown | Promise<unknown> {
    this.#stage = 'work';
    const { declared, entry, parameters, query, request } = this.#of;
    const { headers } = entry.operation;
    const values =
      declared === undefined && headers === undefined
        ? parameters
        : { ...(declared && parseQuery(query, declared)), ...(headers && headerValues(request, headers)), ...parameters };
    return entry.operation.body === undefined ? values : this.#withBody(values);
  }

  async #withBody(values: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { entry, request, maxBodyBytes } = this.#of;
    const declared = entry.operation.body;
    if (declared === undefined) return values;
    this.#stage = 'body';
    const body = await readBody(request, declared, maxBodyBytes);
    this.#stage = 'work';
    return body === undefined ? values : { ...values, body };
  }
}

const headerValues = (request: CoreRequest, headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, request.header(header)]));

/** The form of a path from an adapter, which becomes part of addresses: some hosts take it from the request. */
const MOUNT = /^(\/[\w.~%!$&'()*+,;=:@-]{1,100}){1,10}$/;

const NO_CERTIFICATES: readonly Uint8Array[] = Object.freeze([]);
