import type { Attribution } from '../../contract/api/kit/attribution.ts';
import { allSurfaces, withoutProvider } from '../../contract/api/surfaces/index.ts';
import { notFound } from '../../contract/errors/index.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import type { Provenance } from '../../store/changelog/log.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { type Actor, actorId, apiTokenIdOf, hasRights } from '../actor.ts';
import type { AttemptedLogin, Call, NestedOperation } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { EnclosingTransaction } from '../enclosing-transaction.ts';
import type { Entry } from '../entry.ts';
import { type Grant, isLimited, narrowedBy, OWN_RIGHT } from '../grant.ts';
import { assertWithin } from '../resources/granted.ts';
import type { Authorized, PermitResult } from './authorize.ts';
import type { CallServices } from './call-services.ts';
import { kindAt } from './named-kinds.ts';
import { nestedSource } from './nested-source.ts';
import { Transactions } from './transactions.ts';

/** Executes an operation within a call. */
export type InvokeNested = (
  call: OngoingCall,
  source: CallSource,
  nested: NestedOperation,
  enclosing: EnclosingTransaction,
) => Promise<unknown>;

/** An operation that was executed within a call. */
export interface NestedCall {
  /** `identities.create` */
  readonly operation: string;
  /** Decoded. */
  readonly input: unknown;
  readonly grant: Grant;
  /** Id of what it created; undefined if it created nothing. */
  readonly created: string | undefined;
  /** The secret in the output that is shown only once; undefined if there is none. */
  readonly secret: unknown;
}

/** The properties that are stored with an idempotency key. */
export type StoredNestedCall = Pick<NestedCall, 'operation' | 'input' | 'created'>;

/** Shared by all calls without nested ones, and never mutated. */
const NO_NESTED_CALLS: NestedCall[] = [];

let neverAborted: AbortSignal | undefined;

/** A call in progress. A class because one is allocated per request, and most of its properties are computed. */
export class OngoingCall implements Call, Authorized {
  /** Anonymous until the call is authenticated. */
  actor: Actor = { kind: 'anonymous' };
  readonly answerHeaders: Call['answerHeaders'];
  readonly core: Call['core'];
  readonly operation: Entry['operation'];
  readonly requestId: string;
  readonly surface: Call['surface'];
  readonly credentials: Call['credentials'];
  readonly transactions: Transactions;
  readonly #services: CallServices;
  readonly #entry: Entry;
  readonly #source: CallSource;
  readonly #invokeNested: InvokeNested;
  #input: unknown;
  bodyFields: readonly string[] = [];
  /** The nested calls of the current attempt, including those that are nested more deeply. */
  nestedCalls = NO_NESTED_CALLS;
  isAccepted = false;
  attempted: AttemptedLogin | undefined;
  /** Undefined until the call is permitted. */
  permission: PermitResult | undefined;

  constructor(services: CallServices, entry: Entry, source: CallSource, invokeNested: InvokeNested) {
    this.#services = services;
    this.#entry = entry;
    this.core = source.past?.core ?? source.enclosing?.answers?.core ?? services.core;
    this.operation = entry.operation;
    this.requestId = source.requestId;
    this.surface = source.surface;
    this.credentials = source.credentials;
    this.#source = source;
    this.#invokeNested = invokeNested;
    this.answerHeaders = source.answerHeaders ?? new Map();
    this.transactions = new Transactions(services, source, this);
  }

  /** The grant of the call, narrowed by those of its nested calls: an operation that is composed of others may require no right. */
  get grant(): Grant {
    const own = this.permission?.grant ?? OWN_RIGHT;
    return this.nestedCalls === NO_NESTED_CALLS ? own : this.nestedCalls.reduce((grant, nested) => narrowedBy(grant, nested.grant), own);
  }

  get isJoined() {
    return this.#source.hostTransaction !== undefined || this.#source.enclosing !== undefined;
  }

  get holdsTransaction() {
    return this.isJoined || this.transactions.isOpen;
  }

  get isPast() {
    return this.transactions.past !== undefined;
  }

  get attribution(): Attribution {
    const { actor = actorId(this.actor), requestId, onBehalfOf, reason } = this.#source;
    const tokenId = apiTokenIdOf(this.actor);
    return { actor, requestId, onBehalfOf, reason, ...(tokenId === undefined ? {} : { tokenId }) };
  }

  get provenance(): Provenance {
    const { origin = 'facade', remoteAddress } = this.#source;
    const provenance = { origin, operation: `${this.#entry.group}.${this.#entry.verb}`, address: remoteAddress || null };
    return hasRights(this.actor) ? { ...provenance, isReserved: true } : provenance;
  }

  get mounted() {
    return this.#source.mounted ?? (this.core.provider ? allSurfaces : withoutProvider);
  }

  get peerCertificates() {
    return this.#source.peerCertificates ?? [];
  }

  get remoteAddress() {
    return this.#source.remoteAddress ?? '';
  }

  get host() {
    return this.#source.host;
  }

  get mount() {
    return this.#source.mount ?? '';
  }

  get contentType() {
    return this.#source.contentType;
  }

  get mediaType() {
    return this.#source.mediaType;
  }

  get browser() {
    return this.#source.browser;
  }

  get observation() {
    return this.#source.observation;
  }

  get signal() {
    // Created by a call: Workers create no signals while a module loads.
    return this.#source.signal ?? (neverAborted ??= new AbortController().signal);
  }

  get timeLimit() {
    return this.#source.timeLimit;
  }

  now(): string {
    return this.transactions.past?.at ?? this.#source.enclosing?.answers?.now ?? isoTime(this.core.platform.clock.now());
  }

  /**
   * Decides whether the call may be made. A method rather than a closure in a property, with which V8 retained finished calls.
   * @param input default: the input of the last decision
   * @returns undefined if that has been decided at once
   * @throws as `Permit`
   */
  permitted(input = this.#input): Promise<void> | undefined {
    this.#input = input;
    this.nestedCalls = NO_NESTED_CALLS;
    const permission = this.#services.permit(this, this.#entry, this.#source, input);
    if (permission instanceof Promise) return permission.then((decided) => this.#decided(decided));
    return this.#decided(permission);
  }

  #decided(permission: PermitResult): Promise<void> | undefined {
    this.permission = permission;
    return permission.check && this.read(permission.check);
  }

  read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.read(work);
  }

  readReauthorized<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.readReauthorized(work);
  }

  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.readTogether(key, work);
  }

  write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.write(work);
  }

  invokeNested(entities: Entities, nested: NestedOperation): Promise<unknown> {
    return this.#invokeNested(this, this.#source, nested, this.transactions.enclosingFor(entities));
  }

  forgetNestedCalls(): void {
    this.nestedCalls = NO_NESTED_CALLS;
  }

  /** Records a nested call that has succeeded. */
  addNestedCall(nested: OngoingCall, output: unknown): void {
    if (this.nestedCalls === NO_NESTED_CALLS) this.nestedCalls = [];
    this.nestedCalls.push(...nested.nestedCalls, nested.toNestedCall(output));
  }

  /** The record of this call. */
  toNestedCall(output: unknown): NestedCall {
    const { group, verb, operation } = this.#entry;
    const { id, [operation.givenOnce ?? '']: secret } = Object(output) as Readonly<Record<string, unknown>>; // any output may have these
    const created = operation.answer.is === 'created' ? String(id) : undefined;
    return { operation: `${group}.${verb}`, input: this.#input, grant: this.permission?.grant ?? OWN_RIGHT, created, secret };
  }

  /**
   * Asserts that the caller may still execute an operation that it has once executed.
   * @throws as `Permit`
   */
  async permitNestedCall({ operation, input, created }: StoredNestedCall): Promise<void> {
    const entry = this.#services.entries.get(operation);
    if (!entry) throw notFound('operation', operation);
    const nested = new OngoingCall(this.#services, entry, nestedSource(this.#source, { operation, input }), this.#invokeNested);
    nested.actor = this.actor;
    nested.bodyFields = bodyFieldsIn(input);
    await nested.permitted(input);
    const kind = created === undefined ? undefined : kindAt(entry.operation);
    if (kind && created !== undefined && isLimited(nested.grant))
      await nested.read((entities) => assertWithin(entities, kind, created, nested));
  }

  rehearse<T, R>(work: () => Promise<T>, gather: (entities: Entities, result: T) => Promise<() => Promise<R>>): Promise<R> {
    return this.transactions.rehearse(work, gather);
  }
}

/** The names of the fields of a JSON object; none for any other body. */
export const bodyFieldsIn = (input: unknown): readonly string[] => {
  const { body } = Object(input) as { readonly body?: unknown }; // any input may have a body
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !ArrayBuffer.isView(body) ? Object.keys(body) : [];
};
