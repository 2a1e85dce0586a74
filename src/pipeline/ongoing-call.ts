import { apiSession } from '../api/sessions.ts';
import { type Actor, actorId } from '../call/actor.ts';
import type { Call, CallSource, Entry } from '../call/call.ts';
import type { Core } from '../call/core.ts';
import type { Gate } from '../call/gate.ts';
import { type Entities, entitiesOf } from '../changes/entities.ts';
import type { Publisher } from '../changes/publisher.ts';
import { endLostSessions } from '../domain/service-sessions/ends.ts';
import { actorOfSession } from '../domain/sessions/state.ts';
import { unauthorized } from '../errors/index.ts';
import { WriteConflict } from '../storage/errors.ts';
import type { Transaction } from '../storage/port.ts';
import { authorize } from './authorize.ts';

export interface Parts {
  readonly core: Core;
  readonly publisher: Publisher;
  /** Through which every change goes. */
  readonly writes: Gate;
}

const NEVER_ABORTED = new AbortController().signal;
const NO_CERTIFICATES: readonly Uint8Array[] = [];

/** A call on its way. A class for the reason that `HttpSource` is one: it has getters, and there is one for each request. */
export class OngoingCall implements Call {
  /** Nobody, until it is known. */
  actor: Actor = { kind: 'anonymous' };
  readonly answerHeaders = new Map<string, string>();
  readonly #parts: Parts;
  readonly #operation: Entry['operation'];
  readonly #source: CallSource;
  /** What a call that sees one state reads from. */
  #state: Entities | undefined;

  constructor(parts: Parts, { operation }: Entry, source: CallSource) {
    this.#parts = parts;
    this.#operation = operation;
    this.#source = source;
  }

  get core() {
    return this.#parts.core;
  }

  get requestId() {
    return this.#source.requestId;
  }

  get api() {
    return this.#source.api;
  }

  get credentials() {
    return this.#source.credentials;
  }

  get peerCertificates() {
    return this.#source.peerCertificates ?? NO_CERTIFICATES;
  }

  get remoteAddress() {
    return this.#source.remoteAddress ?? '';
  }

  get signal() {
    return this.#source.signal ?? NEVER_ABORTED;
  }

  get isHosted() {
    return this.#source.hostTransaction !== undefined;
  }

  now(): string {
    return new Date(this.core.platform.clock.now()).toISOString();
  }

  async read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.#state) return work(this.#state);
    if (this.#source.hostTransaction !== undefined) return work(this.#joined());
    return this.core.store.transaction('read', (tx) => work(this.#entitiesOf(tx)));
  }

  /** Runs `work` with all reading inside of it in one transaction. Nothing can be written there. */
  inOneState<T>(work: () => Promise<T>): Promise<T> {
    return this.core.store.transaction('read', (tx) => {
      this.#state = this.#entitiesOf(tx);
      return work();
    });
  }

  async write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    // Where reading and writing share a connection, it would wait for itself.
    if (this.#state) throw new TypeError(`${this.#operation.operationId} is a GET, which must not write`);
    if (this.#source.hostTransaction !== undefined) return this.#carriedOut(this.#joined(), work);
    return this.#parts.writes.pass(() => onceMore(() => this.#written(work)));
  }

  async #written<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    const { result, changes } = await this.core.store.transaction('write', async (tx) => {
      const entities = this.#entitiesOf(tx);
      await this.#assertStillAllowed(entities);
      const result = await this.#carriedOut(entities, work);
      signal.throwIfAborted();
      return { result, changes: entities.changes };
    });
    await this.#parts.publisher.announce(changes);
    return result;
  }

  /** What a change takes from sessions, it takes in the same transaction, whoever made it. */
  async #carriedOut<T>(entities: Entities, work: (entities: Entities) => Promise<T>): Promise<T> {
    const result = await work(entities);
    await endLostSessions(entities, [...entities.changes], this.now());
    return result;
  }

  /** A right may be lost between the start of a call and its write: what counts is the state that the write sees. */
  async #assertStillAllowed(entities: Entities): Promise<void> {
    if (this.actor.kind !== 'session') return;
    const session = await entities.get(apiSession, this.actor.session.id);
    const actor = session && (await actorOfSession(entities, this.core.settings, session, this.actor.token, this.now()));
    if (!actor) throw unauthorized();
    authorize(actor, this.#operation);
  }

  #joined(): Entities {
    return this.#entitiesOf(this.core.store.join(this.#source.hostTransaction));
  }

  #entitiesOf(tx: Transaction): Entities {
    const { platform, settings, stamp } = this.core;
    return entitiesOf(tx, {
      actor: actorId(this.actor),
      requestId: this.requestId,
      random: platform.random,
      stamp,
      changesKept: settings.changesKept,
    });
  }
}

/** A write that lost against another is run again once, on the new state. */
const onceMore = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return work();
  }
};
