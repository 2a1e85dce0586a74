import type { Attribution } from '../api/kit/attribution.ts';
import { allSurfaces, withoutProvider } from '../api/surfaces/index.ts';
import { type Actor, actorId, apiTokenIdOf, hasRights } from '../call/actor.ts';
import type { Call, CallSource, Entry, Part, Whole } from '../call/call.ts';
import { type Grant, isLimited, OWN_RIGHT } from '../call/grant.ts';
import type { Provenance } from '../changelog/log.ts';
import type { Entities } from '../entities/entities.ts';
import { notFound } from '../errors/index.ts';
import { isoTime } from '../platform/clock.ts';
import { assertWithin, narrowedBy } from '../resources/granted.ts';
import type { Authorized, PermitResult } from './authorize.ts';
import { kindAt } from './named-kinds.ts';
import { partSource } from './part-source.ts';
import type { Parts } from './parts.ts';
import { Transactions } from './transactions.ts';

/** Carries out an operation as part of a call. */
export type CarryOut = (call: OngoingCall, source: CallSource, part: Part, whole: Whole) => Promise<unknown>;

/** An operation that a call has carried out as a part of itself. */
export interface PartRun {
  /** `identities.create` */
  readonly operation: string;
  /** Decoded. */
  readonly input: unknown;
  readonly grant: Grant;
  /** Id of what it created; undefined if it created nothing. */
  readonly created: string | undefined;
  /** Of the output, what is given once; undefined if nothing is. */
  readonly secret: unknown;
}

/** What of it is kept for a repetition of the call. */
export type KeptPart = Pick<PartRun, 'operation' | 'input' | 'created'>;

/** Shared by all calls without parts, and never written. */
const NO_PARTS: PartRun[] = [];

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
  readonly #parts: Parts;
  readonly #entry: Entry;
  readonly #source: CallSource;
  readonly #carryOut: CarryOut;
  #input: unknown;
  bodyFields: readonly string[] = [];
  /** The parts that have run in the present attempt, and the parts of these. */
  partsRun = NO_PARTS;
  isAccepted = false;
  attemptedId: string | undefined;
  /** Undefined until the call is permitted. */
  permission: PermitResult | undefined;

  constructor(parts: Parts, entry: Entry, source: CallSource, carryOut: CarryOut) {
    this.#parts = parts;
    this.#entry = entry;
    this.core = source.past?.core ?? source.whole?.answers?.core ?? parts.core;
    this.operation = entry.operation;
    this.requestId = source.requestId;
    this.surface = source.surface;
    this.credentials = source.credentials;
    this.#source = source;
    this.#carryOut = carryOut;
    this.answerHeaders = source.answerHeaders ?? new Map();
    this.transactions = new Transactions(parts, source, this);
  }

  /** The right of the call, as far as the parts that have run had it, too: an operation that is made of others may have none of its own. */
  get grant(): Grant {
    const own = this.permission?.grant ?? OWN_RIGHT;
    return this.partsRun === NO_PARTS ? own : this.partsRun.reduce((grant, part) => narrowedBy(grant, part.grant), own);
  }

  get isJoined() {
    return this.#source.hostTransaction !== undefined || this.#source.whole !== undefined;
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
    return this.transactions.past?.at ?? this.#source.whole?.answers?.now ?? isoTime(this.core.platform.clock.now());
  }

  /**
   * Decides whether the call may be made. A method rather than a closure in a property, with which V8 retained finished calls.
   * @param input default: the input of the last decision
   * @throws as `Permit`
   */
  async permitted(input = this.#input): Promise<void> {
    this.#input = input;
    this.forgetParts();
    this.permission = await this.#parts.permit(this, this.#entry, this.#source, input);
  }

  read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.read(work);
  }

  readOn<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.readOn(work);
  }

  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.readTogether(key, work);
  }

  write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.transactions.write(work);
  }

  carryOut(entities: Entities, part: Part): Promise<unknown> {
    return this.#carryOut(this, this.#source, part, this.transactions.wholeOf(entities));
  }

  forgetParts(): void {
    this.partsRun = NO_PARTS;
  }

  /** Notes that a call has run as a part of this one. */
  include(part: OngoingCall, output: unknown): void {
    if (this.partsRun === NO_PARTS) this.partsRun = [];
    this.partsRun.push(...part.partsRun, part.asPart(output));
  }

  /** This call as a part of another, or as all that there is of a call without parts. */
  asPart(output: unknown): PartRun {
    const { group, verb, operation } = this.#entry;
    const { id, [operation.givenOnce ?? '']: secret } = Object(output) as Readonly<Record<string, unknown>>; // any output may have these
    const created = operation.answer.is === 'created' ? String(id) : undefined;
    return { operation: `${group}.${verb}`, input: this.#input, grant: this.permission?.grant ?? OWN_RIGHT, created, secret };
  }

  /**
   * Decides whether the caller may still do what was once a part of such a call.
   * @throws as `Permit`
   */
  async permitPart({ operation, input, created }: KeptPart): Promise<void> {
    const entry = this.#parts.entries.get(operation);
    if (!entry) throw notFound('operation', operation);
    const part = new OngoingCall(this.#parts, entry, partSource(this.#source, { operation, input }), this.#carryOut);
    part.actor = this.actor;
    part.bodyFields = bodyFieldsIn(input);
    await part.permitted(input);
    const kind = created === undefined ? undefined : kindAt(entry.operation);
    if (kind && created !== undefined && isLimited(part.grant)) await part.read((entities) => assertWithin(entities, kind, created, part));
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
