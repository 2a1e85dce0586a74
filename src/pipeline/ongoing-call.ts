import { currentActor } from '../authentication/actors.ts';
import { type Actor, actorId, isAdministrator } from '../call/actor.ts';
import type { Call, CallSource, Entry } from '../call/call.ts';
import type { Core } from '../call/core.ts';
import { OWN_RIGHT } from '../call/grant.ts';
import type { Attribution } from '../changes/attribution.ts';
import { type Entities, type EntitiesContext, entitiesOf, type InTransaction } from '../changes/entities.ts';
import type { Precondition } from '../changes/precondition.ts';
import type { AroundWrite, Write } from '../changes/writer.ts';
import type { Release } from '../concurrency/semaphore.ts';
import { ApiError } from '../errors/index.ts';
import { isoTime } from '../platform/iso-time.ts';
import type { Transaction } from '../storage/port.ts';
import { CallReads } from './call-reads.ts';
import { noteOrdinary, wasOrdinary } from './ordinary-sessions.ts';
import { type Permit, type PermitResult, StalePermit } from './permit.ts';

export interface Parts {
  readonly core: Core;
  /** Through which every change goes. */
  readonly write: Write;
  /** Runs with changes in the host's transaction, as with every other. */
  readonly aroundWrite: AroundWrite;
  /** The host's own part in every write. */
  readonly inTransaction: InTransaction | undefined;
  readonly permit: Permit;
}

/** How often the host's rule is asked anew within one write. */
const MOST_ASKED = 3;
/** That a read is to begin anew, with a place. */
const NO_PLACE = Symbol('no place');
const NEVER_ABORTED = new AbortController().signal;

/** A call on its way. A class for the reason that `HttpSource` is one: it has getters, and there is one for each request. */
export class OngoingCall implements Call {
  /** Anonymous until it is authenticated. */
  actor: Actor = { kind: 'anonymous' };
  readonly answerHeaders: Call['answerHeaders'] = new Map();
  readonly operation: Entry['operation'];
  readonly #parts: Parts;
  readonly #entry: Entry;
  readonly #source: CallSource;
  #input: unknown;
  /** The read transaction of a call that sees one consistent state. */
  #state: Entities | undefined;
  /** The place that an ordinary session has while it reads. */
  #place: Release | undefined;
  /** Whether the store has begun the transaction of `#state`. */
  #hasBegun = false;
  isAccepted = false;
  /** Once the call may be made. */
  permission: PermitResult | undefined;
  /** Until the write that it is for is made. */
  precondition: Precondition | undefined;

  constructor(parts: Parts, entry: Entry, source: CallSource) {
    this.#parts = parts;
    this.#entry = entry;
    this.operation = entry.operation;
    this.#source = source;
  }

  get core() {
    return this.#parts.core;
  }

  get grant() {
    return this.permission?.grant ?? OWN_RIGHT;
  }

  get isJoined() {
    return this.#source.hostTransaction !== undefined;
  }

  get requestId() {
    return this.#source.requestId;
  }

  get attribution(): Attribution {
    const { actor = actorId(this.actor), requestId, onBehalfOf, reason } = this.#source;
    return { actor, requestId, onBehalfOf, reason };
  }

  get surface() {
    return this.#source.surface;
  }

  get credentials() {
    return this.#source.credentials;
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
    return this.#source.signal ?? NEVER_ABORTED;
  }

  get timeLimit() {
    return this.#source.timeLimit;
  }

  now(): string {
    return isoTime(this.core.platform.clock.now());
  }

  /** Decides whether the call may be made with an input. No closure that the call keeps: V8 held on to ended calls then. @throws as `Permit` */
  async permitted(input: unknown): Promise<void> {
    this.#input = input;
    this.permission = await this.#parts.permit(this, this.#entry, this.#source, input);
  }

  async read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.#state) return work(this.#state);
    if (this.#source.hostTransaction !== undefined) return work(this.#joined());
    return this.#inPlace(() => this.core.store.transaction('read', (tx) => work(this.#entitiesOf(tx)), this.#reading()));
  }

  /**
   * Runs `work` with all its reads in one read-only transaction. An ordinary session takes a place before that begins, where it is known to be one. Otherwise
   * it starts over if all places are taken: a call never waits while it holds a connection.
   */
  async inOneState<T>(work: () => Promise<T>): Promise<T> {
    const { store } = this.core;
    try {
      if (!store.beginsLate) await this.#admit();
      for (;;) {
        this.#hasBegun = !store.beginsLate;
        try {
          return await store.transaction(
            'read',
            (tx) => {
              this.#state = this.#entitiesOf(tx);
              return work();
            },
            this.#reading(),
          );
        } catch (error) {
          if (error !== NO_PLACE) throw error;
        }
        await this.#waitForPlace();
      }
    } finally {
      this.#state = undefined;
      this.#leavePlace();
    }
  }

  #admit(): Promise<void> | undefined {
    this.#hasBegun = true;
    const needsPlace = this.actor.kind === 'anonymous' ? wasOrdinary(this.credentials) : this.#isOrdinary;
    return needsPlace && this.core.store.places && !this.#place ? this.#waitForPlace() : undefined;
  }

  readOn<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.#withFreshPermit(() =>
      this.read(async (entities) => {
        await this.#recheck(entities);
        return work(entities);
      }),
    );
  }

  /** To be called within `inOneState` when the actor is known. */
  takePlace(): void {
    const { places } = this.core.store;
    if (!this.#state || !places || this.#place || !this.#isOrdinary) return;
    noteOrdinary(this.credentials);
    if (!this.#hasBegun) return; // before it begins, it will be admitted
    this.#place = places.tryAcquire();
    if (!this.#place) throw NO_PLACE;
  }

  async write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    // Where reading and writing share a connection, it would wait for itself.
    if (this.#state) throw new TypeError(`${this.operation.operationId} is a GET, which must not write`);
    const permitted = async (entities: Entities) => {
      await this.#recheck(entities);
      const result = await work(entities);
      await this.permission?.verify(entities);
      return result;
    };
    const result = await this.#withFreshPermit(async () =>
      this.#source.hostTransaction === undefined
        ? this.#parts.write(this.#context(), this.#source.signal, permitted)
        : (await this.#parts.aroundWrite(this.#joined(), permitted)).result,
    );
    this.precondition = undefined;
    return result;
  }

  async #recheck(entities: Entities): Promise<void> {
    const actor = await currentActor(entities, this);
    await this.permission?.recheck(entities, actor).catch((error: unknown) => {
      if (error instanceof StalePermit) this.actor = actor;
      throw error;
    });
  }

  /** Asks the host's rule anew where its answer was about an earlier state, a few times at most. */
  async #withFreshPermit<T>(work: () => Promise<T>): Promise<T> {
    for (let asked = 0; ; asked++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StalePermit)) throw error;
        if (asked === MOST_ASKED) throw new ApiError('CONFLICT');
        await this.permitted(this.#input);
      }
    }
  }

  get #isOrdinary(): boolean {
    return 'identity' in this.actor && !isAdministrator(this.actor);
  }

  /** One read within another has the place of that. */
  async #inPlace<T>(work: () => Promise<T>): Promise<T> {
    const { places, beginsLate } = this.core.store;
    if (!places || this.#place) return work();
    try {
      if (!beginsLate && this.#isOrdinary) await this.#waitForPlace();
      return await work();
    } finally {
      this.#leavePlace(); // taken here, or by `#admit` when the transaction began
    }
  }

  async #waitForPlace(): Promise<void> {
    this.#place = this.core.store.places?.tryAcquire();
    if (this.#place) return;
    const admitted = this.observation?.wait();
    this.#place = await this.core.store.places?.acquire(this.#source.signal);
    admitted?.();
  }

  #leavePlace(): void {
    this.#place?.();
    this.#place = undefined;
  }

  #reading(): CallReads {
    return new CallReads(this.#source, () => this.#admit());
  }

  #joined(): Entities {
    return entitiesOf(this.core.store.join(this.#source.hostTransaction), this.#context());
  }

  #entitiesOf(tx: Transaction): Entities {
    return entitiesOf(tx, this.#context(), this.core.readCache.reading);
  }

  #context(): EntitiesContext {
    const { platform, settings, stamp, secrets } = this.core;
    return {
      ...this.attribution,
      random: platform.random,
      stamp,
      changesKept: settings.changesKept,
      changeBytesKept: settings.changeBytesKept,
      keys: secrets,
      precondition: this.precondition,
      bypassesCache: this.operation.permission === 'open',
      observation: this.observation,
      inTransaction: this.#parts.inTransaction,
    };
  }
}
