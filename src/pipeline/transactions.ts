import { actorId, apiTokenIdOf, isAdministrator } from '../call/actor.ts';
import type { Call, CallSource, Whole } from '../call/call.ts';
import { OWN_RIGHT } from '../call/grant.ts';
import { type LogShare, shareOf } from '../call/log-shares.ts';
import { type Entities, type EntitiesContext, entitiesOf, type InTransaction } from '../entities/entities.ts';
import type { PastState } from '../entities/past-state.ts';
import type { Precondition } from '../entities/precondition.ts';
import { EXPIRED } from '../entities/settled-store.ts';
import type { Priority, TransactionOptions } from '../storage/port.ts';
import { type Authorized, reauthorize, takesRight, withFreshPermit } from './authorize.ts';
import { PartAnswers } from './host-code.ts';
import type { Parts } from './parts.ts';

/**
 * The transactions of a call: its own, or the host's, which it joins. An instance also serves as the options of the call's read transactions, because that
 * costs less than closures.
 */
export class Transactions implements TransactionOptions {
  readonly #parts: Parts;
  readonly #source: CallSource;
  readonly #call: Call & Authorized;
  /** The state that all reads of the call see, while it runs in one transaction. */
  #state: Entities | undefined;
  #isOpen = false;
  /** The work that the call is part of. */
  #whole: Whole | undefined;
  /** The answers to the parts of the call, in a transaction of its own; undefined if the host has no code that runs in calls. */
  #answers: PartAnswers | undefined;
  #hasEndedGrants = false;
  /** The past state that the call reads, once it is authorized on the present one. */
  past: PastState | undefined;
  /** Cleared after the write that it guards. */
  precondition: Precondition | undefined;

  constructor(parts: Parts, source: CallSource, call: Call & Authorized) {
    this.#parts = parts;
    this.#source = source;
    this.#call = call;
    this.#whole = source.whole;
  }

  /** A getter, because the source creates the signal on first use. */
  get signal(): AbortSignal | undefined {
    return this.#source.signal;
  }

  /** True while a transaction of the call itself is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Administrators, the host and clients that log in have reserved connections. Undefined until the caller is known. */
  priority(): Priority | undefined {
    const { actor, operation } = this.#call;
    if ('identity' in actor) return isAdministrator(actor) ? 'reserved' : 'ordinary';
    return actor.kind === 'anonymous' && operation.permission !== 'open' ? undefined : 'reserved';
  }

  onWait(): (() => void) | undefined {
    return this.#source.observation?.wait();
  }

  read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { past } = this;
    return this.#readPresent(past ? async (entities) => work(await past.see(entities)) : work);
  }

  async #readPresent<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.#state) return work(this.#state);
    if (this.#whole) return work(this.#whole.entities.as(this.#context()));
    if (this.#source.hostTransaction === undefined) return this.#inTransaction(work);
    await this.#endGrants();
    return work(this.#joined());
  }

  /** Runs `work` with all its reads in one read-only transaction. The store may run it again: it must have no effects. */
  inOneState<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTransaction((entities) => {
      this.#state = entities;
      return work();
    });
  }

  readOn<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return withFreshPermit(this.#call, () =>
      this.read(async (entities) => {
        await reauthorize(this.#call, entities);
        return work(entities);
      }),
    );
  }

  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.past || this.#whole || this.#source.hostTransaction !== undefined) return this.readOn(work);
    const read = () => this.#parts.readTogether({ call: this.#call, context: this.#context(), key, work });
    return withFreshPermit(this.#call, read) as Promise<T>; // that of `work`, or of the same work
  }

  async write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.past) throw new TypeError(`${this.#call.operation.operationId} wrote to a past state`);
    const permitted = async (entities: Entities) => {
      await reauthorize(this.#call, entities);
      const result = await work(entities);
      await this.#call.permission?.verify(entities);
      return result;
    };
    const whole = this.#whole;
    const attempt = () => (whole ? this.#writeWithin(whole, permitted) : this.#commit(permitted));
    // In a transaction of the call itself, the host's rule must not be called: the transaction runs again.
    const result = await (whole && whole !== this.#source.whole ? attempt() : withFreshPermit(this.#call, attempt));
    this.precondition = undefined;
    return result;
  }

  /** Writes as a part of some work. */
  async #writeWithin<T>(whole: Whole, work: (entities: Entities) => Promise<T>): Promise<T> {
    const { operation, permission } = this.#call;
    const entities = whole.entities.as(this.#context());
    const result = await work(entities);
    // A call that is made of parts has nothing else to tell than they have told already.
    if (takesRight(operation) && !operation.isBatch) whole.onWritten?.(entities.changes, permission?.grant ?? OWN_RIGHT);
    return result;
  }

  /** @param onWritten for a preview of the call itself, which is refused as the call would be. Without it, `gather` reports what the work leads to */
  async rehearse<T, R>(
    work: () => Promise<T>,
    gather: (entities: Entities, result: T) => Promise<() => Promise<R>>,
    onWritten?: Whole['onWritten'],
  ): Promise<R> {
    if (this.#source.hostTransaction !== undefined || this.#whole)
      throw new TypeError(
        'a preview cannot be part of a transaction, because it is rolled back: make the call without the option transaction',
      );
    const { signal } = this.#source;
    const inOne = this.#answered((entities) => this.#asWhole({ entities, ...(onWritten && { onWritten }) }, work));
    const rehearsed = onWritten ? this.#expected(inOne) : inOne;
    return withFreshPermit(this.#call, () => this.#alone(() => this.#parts.rehearse(this.#context(), signal, rehearsed, gather)));
  }

  /** Runs `work` with everything that the call reads and writes in one transaction. The store may run it again. */
  together<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return withFreshPermit(this.#call, () => this.#commit((entities) => this.#asWhole({ entities }, () => work(entities))));
  }

  /** Runs `work` with the reads and writes of the call as parts of a whole. */
  async #asWhole<T>(whole: Whole, work: () => Promise<T>): Promise<T> {
    this.#whole = whole;
    try {
      return await work();
    } finally {
      this.#whole = undefined;
    }
  }

  /** Refuses some work that takes more access away than expected, or breaks policy tests. */
  #expected<T>(work: (entities: Entities) => Promise<T>): (entities: Entities) => Promise<T> {
    return async (entities) => {
      const { whatIf } = this.#parts;
      const { maxLost, overridesTests = false, hostTransaction } = this.#source;
      const appendRecords = overridesTests ? entities.holdRecords() : undefined;
      try {
        const result = await work(entities);
        if (maxLost !== undefined) await whatIf.assertLost(entities, this.#call, maxLost);
        const overridden = await whatIf.assertTests(entities, this.#call, overridesTests);
        await appendRecords?.(overridden);
        return result;
      } catch (error) {
        // The host may commit nevertheless. On PostgreSQL it cannot after most errors, and neither can this write.
        if (hostTransaction !== undefined) await appendRecords?.(undefined).catch(() => undefined);
        throw error;
      }
    };
  }

  /** Writes in a transaction of the call or the host's. */
  async #commit<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { core, write, aroundWrite } = this.#parts;
    const { hostTransaction, signal } = this.#source;
    const expected = this.#expected(this.#answered(work));
    if (hostTransaction !== undefined) {
      await this.#endGrants();
      return (await aroundWrite(this.#joined(), expected)).result;
    }
    let share: LogShare | undefined;
    const counted = async (entities: Entities) => {
      const result = await expected(entities);
      share = await shareOf(core.logShares, this.#call.actor, entities);
      return result;
    };
    const result = await this.#alone(() => write(this.#context(), signal, counted));
    if (share) core.logShares.take(share.identityId, share.records);
    return result;
  }

  /** Work of which nothing is kept until the host's code has answered all questions of its parts. */
  #answered<T>(work: (entities: Entities) => Promise<T>): (entities: Entities) => Promise<T> {
    return async (entities) => {
      this.#call.forgetParts();
      this.#answers?.begin();
      const result = await work(entities);
      this.#answers?.end();
      return result;
    };
  }

  /** Runs a transaction of the call, and again once the host's code has answered the questions that came up in it. */
  #alone<T>(transaction: () => Promise<T>): Promise<T> {
    const { core } = this.#parts;
    const run = async () => {
      this.#open();
      try {
        return await transaction();
      } finally {
        this.#isOpen = false;
      }
    };
    if (!this.#parts.hasHostCode) return run();
    this.#answers ??= new PartAnswers(core);
    return this.#answers.complete(run, this.#source.signal);
  }

  /** The work that a part of the call's write is part of. */
  wholeOf(entities: Entities): Whole {
    const onWritten = this.#whole?.onWritten?.bind(this.#whole);
    const answers = this.#whole?.answers ?? this.#answers;
    return { entities, ...(answers && { answers }), ...(onWritten && { onWritten }) };
  }

  async #inTransaction<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { store, readCache } = this.#parts.core;
    this.#open();
    try {
      return await store.transaction('read', (tx) => work(entitiesOf(tx, this.#context(), readCache.reading)), this);
    } finally {
      this.#isOpen = false;
      this.#state = undefined;
    }
  }

  /** Allows one transaction at a time: a call that waits for a second connection while it holds one could deadlock. */
  #open(): void {
    if (this.#isOpen) throw new TypeError(`${this.#call.operation.operationId} opened a transaction within another: a GET must not write`);
    this.#isOpen = true;
  }

  /** In the host's transaction, takes ended grants out of effect before the call reads or writes: another transaction could deadlock. */
  async #endGrants(): Promise<void> {
    if (this.#hasEndedGrants) return;
    this.#hasEndedGrants = true;
    const { aroundWrite, endGrants } = this.#parts;
    await aroundWrite(this.#joined({ ...EXPIRED, onBehalfOf: undefined, precondition: undefined, provenance: undefined }), endGrants);
  }

  #joined(context: Partial<EntitiesContext> = {}): Entities {
    const { core, hookedTransactions } = this.#parts;
    const { hostTransaction } = this.#source;
    const joining = { ...this.#context(), ...context };
    return hookedTransactions.at(hostTransaction)?.(joining) ?? entitiesOf(core.store.join(hostTransaction), joining);
  }

  /** The hook, which does not run for what is rolled back to ask the host's code. */
  #unlessIncomplete(inTransaction: InTransaction): InTransaction {
    return (...hooked) => (this.#answers?.isIncomplete ? undefined : inTransaction(...hooked));
  }

  #context(): EntitiesContext {
    const { core, inTransaction } = this.#parts;
    const { actor = actorId(this.#call.actor), requestId, onBehalfOf, reason, observation } = this.#source;
    return {
      actor,
      requestId,
      onBehalfOf,
      reason,
      tokenId: apiTokenIdOf(this.#call.actor),
      provenance: this.#call.provenance,
      random: this.#call.core.platform.random,
      stamp: core.stamp,
      changesKept: core.settings.changesKept,
      changeBytesKept: core.settings.changeBytesKept,
      keys: core.secrets,
      precondition: this.precondition,
      bypassesCache: this.#call.operation.permission === 'open',
      observation,
      inTransaction: inTransaction && this.#unlessIncomplete(inTransaction),
    };
  }
}
