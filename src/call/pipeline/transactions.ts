import { EXPIRED, type Provenance } from '../../store/changelog/log.ts';
import { type Entities, type EntitiesContext, entitiesOf, type InTransaction } from '../../store/entities/entities.ts';
import type { PastState } from '../../store/entities/past-state.ts';
import type { Precondition } from '../../store/entities/precondition.ts';
import type { Priority, TransactionOptions } from '../../store/storage/port.ts';
import { actorId, apiTokenIdOf, isAdministrator } from '../actor.ts';
import type { Call } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { EnclosingTransaction } from '../enclosing-transaction.ts';
import { OWN_RIGHT } from '../grant.ts';
import { type LogShare, shareOf } from '../log-shares.ts';
import { type Authorized, reauthorize, takesRight, withFreshPermit } from './authorize.ts';
import type { CallServices } from './call-services.ts';
import { RecordedHostAnswers } from './host-code.ts';

/**
 * The transactions of a call: its own, or the host's, which it joins. An instance also serves as the options of the call's read
 * transactions, because that costs less than closures.
 */
export class Transactions implements TransactionOptions {
  readonly #services: CallServices;
  readonly #source: CallSource;
  readonly #call: Call & Authorized;
  /** The state that all reads of the call see, while it runs in one transaction. */
  #state: Entities | undefined;
  #isOpen = false;
  /** The transaction that the call is nested in, or that its own nested calls use. */
  #enclosing: EnclosingTransaction | undefined;
  /** The answers to nested calls, in a transaction of the call; undefined if the host has no code that runs in calls. */
  #answers: RecordedHostAnswers | undefined;
  #hasEndedGrants = false;
  /** The past state that the call reads, once it is authorized on the present one. */
  past: PastState | undefined;
  /** Cleared after the write that it guards. */
  precondition: Precondition | undefined;

  constructor(services: CallServices, source: CallSource, call: Call & Authorized) {
    this.#services = services;
    this.#source = source;
    this.#call = call;
    this.#enclosing = source.enclosing;
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

  async read<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { past } = this;
    const see = past ? async (entities: Entities) => work(await past.open(entities)) : work;
    if (this.#state) return see(this.#state);
    if (this.#enclosing) return see(this.#enclosing.entities.as(this.#context()));
    if (this.#source.hostTransaction === undefined) return this.#inTransaction(see);
    await this.#endGrants();
    return see(this.#joined());
  }

  /** Runs `work` with all its reads in one read-only transaction. The store may run it again: it must have no effects. */
  inOneState<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTransaction((entities) => {
      this.#state = entities;
      return work();
    });
  }

  readReauthorized<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return withFreshPermit(this.#call, () =>
      this.read(async (entities) => {
        await reauthorize(this.#call, entities);
        return work(entities);
      }),
    );
  }

  readTogether<T>(key: string, work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.past || this.#enclosing || this.#source.hostTransaction !== undefined) return this.readReauthorized(work);
    const read = () => this.#services.readTogether({ call: this.#call, context: this.#context(), key, work });
    return withFreshPermit(this.#call, read) as Promise<T>; // that of `work`, or of the same work
  }

  /** Authorizes the caller by the state that the write sees, does the work, and checks what it has written. */
  async write<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    if (this.past) throw new TypeError(`${this.#call.operation.operationId} wrote to a past state`);
    const permitted = async (entities: Entities) => {
      await reauthorize(this.#call, entities);
      const result = await work(entities);
      await this.#call.permission?.verify(entities);
      return result;
    };
    const enclosing = this.#enclosing;
    const result = await (enclosing ? this.#writeNested(enclosing, permitted) : this.#commit(permitted));
    this.precondition = undefined;
    return result;
  }

  /** Writes in the transaction of an enclosing call. */
  #writeNested<T>(enclosing: EnclosingTransaction, work: (entities: Entities) => Promise<T>): Promise<T> {
    const { operation } = this.#call;
    const attempt = async () => {
      const entities = enclosing.entities.as(this.#context(this.#call.provenance));
      const result = await work(entities);
      // Nested calls have already reported the changes of a batch.
      if (takesRight(operation) && !operation.isBatch) enclosing.onWritten?.(entities.changes, this.#call.permission?.grant ?? OWN_RIGHT);
      return result;
    };
    // In a transaction of the call itself, the host's rule must not be called: the transaction runs again.
    return enclosing === this.#source.enclosing ? withFreshPermit(this.#call, attempt) : attempt();
  }

  /**
   * @param onWritten for a preview of the call itself, which is refused as the call would be. Without it, `gather` reports what the work
   * leads to
   */
  async rehearse<T, R>(
    work: () => Promise<T>,
    gather: (entities: Entities, result: T) => Promise<() => Promise<R>>,
    onWritten?: EnclosingTransaction['onWritten'],
  ): Promise<R> {
    if (this.#source.hostTransaction !== undefined || this.#enclosing)
      throw new TypeError(
        'a preview cannot be part of a transaction, because it is rolled back: make the call without the option transaction',
      );
    const inOne = (entities: Entities) => this.#within({ entities, ...(onWritten && { onWritten }) }, work);
    const rehearsed = (entities: Entities) => (onWritten ? this.#checked(entities, inOne) : this.#answered(entities, inOne));
    return this.#alone(() => this.#services.rehearse(this.#context(this.#call.provenance), this.#source.signal, rehearsed, gather));
  }

  /** Runs `work` with everything that the call reads and writes in one transaction. The store may run it again. */
  together<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    return this.#commit((entities) => this.#within({ entities }, () => work(entities)));
  }

  /** Runs `work` with the reads and writes of the call in this transaction. */
  async #within<T>(enclosing: EnclosingTransaction, work: () => Promise<T>): Promise<T> {
    this.#enclosing = enclosing;
    try {
      return await work();
    } finally {
      this.#enclosing = undefined;
    }
  }

  /** Writes in a transaction of the call or the host's. */
  async #commit<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { core, write, aroundWrite } = this.#services;
    if (this.#source.hostTransaction !== undefined)
      return withFreshPermit(this.#call, async () => {
        await this.#endGrants();
        return (await aroundWrite(this.#joined(), (entities) => this.#checked(entities, work))).result;
      });
    let share: LogShare | undefined;
    const counted = async (entities: Entities) => {
      const result = await this.#checked(entities, work);
      share = await shareOf(core.logShares, this.#call.actor, entities);
      return result;
    };
    const result = await this.#alone(() => write(this.#context(this.#call.provenance), this.#source.signal, counted));
    if (share) core.logShares.take(share.identityId, share.records);
    return result;
  }

  /** Runs `work`, and refuses it if it removes more access than expected, or makes policy tests fail. */
  async #checked<T>(entities: Entities, work: (entities: Entities) => Promise<T>): Promise<T> {
    const { whatIf } = this.#services;
    const { maxLost, overridesTests = false, hostTransaction } = this.#source;
    const appendRecords = overridesTests ? entities.holdRecords() : undefined;
    try {
      const result = await this.#answered(entities, work);
      if (maxLost !== undefined) await whatIf.assertLostWithin(entities, this.#call, maxLost);
      const overridden = await whatIf.assertTestsPass(entities, this.#call, overridesTests);
      await appendRecords?.(overridden);
      return result;
    } catch (error) {
      // The host may commit nevertheless. On PostgreSQL it cannot after most errors, and neither can this write.
      if (hostTransaction !== undefined) await appendRecords?.(undefined).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs `work`.
   * @throws if the host's code has questions of nested calls to answer first, so that the transaction is rolled back
   */
  async #answered<T>(entities: Entities, work: (entities: Entities) => Promise<T>): Promise<T> {
    this.#call.forgetNestedCalls();
    this.#answers?.begin();
    const result = await work(entities);
    this.#answers?.end();
    return result;
  }

  /**
   * Runs a transaction of the call. Repeats it if the host's code has to answer questions of nested calls, or its rule has to judge another
   * state.
   */
  #alone<T>(transaction: () => Promise<T>): Promise<T> {
    const { core, hasHostCode } = this.#services;
    if (hasHostCode) this.#answers ??= new RecordedHostAnswers(core);
    const run = async () => {
      this.#open();
      try {
        return await transaction();
      } finally {
        this.#isOpen = false;
      }
    };
    return withFreshPermit(this.#call, run, this.#answers);
  }

  /** The transaction for nested calls of a write. */
  enclosingFor(entities: Entities): EnclosingTransaction {
    const onWritten = this.#enclosing?.onWritten?.bind(this.#enclosing);
    const answers = this.#enclosing?.answers ?? this.#answers;
    return { entities, ...(answers && { answers }), ...(onWritten && { onWritten }) };
  }

  async #inTransaction<T>(work: (entities: Entities) => Promise<T>): Promise<T> {
    const { store, readCache } = this.#services.core;
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

  /** Ends expired grants in the host's transaction, before the call reads or writes: a transaction of its own could deadlock. */
  async #endGrants(): Promise<void> {
    if (this.#hasEndedGrants) return;
    this.#hasEndedGrants = true;
    const { aroundWrite, endGrants } = this.#services;
    await aroundWrite(this.#joined({ ...EXPIRED, onBehalfOf: undefined, precondition: undefined, provenance: undefined }), endGrants);
  }

  #joined(context: Partial<EntitiesContext> = {}): Entities {
    const { core, hookedTransactions } = this.#services;
    const { hostTransaction } = this.#source;
    const joining = { ...this.#context(this.#call.provenance), ...context };
    return hookedTransactions.joinOf(hostTransaction)?.(joining) ?? entitiesOf(core.store.join(hostTransaction), joining);
  }

  /** The hook, which does not run for changes that will be rolled back, because the host's code has questions to answer. */
  #unlessIncomplete(inTransaction: InTransaction): InTransaction {
    return (...hooked) => (this.#answers?.isIncomplete ? undefined : inTransaction(...hooked));
  }

  /** @param provenance of what is written. Default: for reads */
  #context(provenance?: Provenance): EntitiesContext {
    const { core, inTransaction } = this.#services;
    const { actor = actorId(this.#call.actor), requestId, onBehalfOf, reason, observation } = this.#source;
    return {
      actor,
      requestId,
      onBehalfOf,
      reason,
      tokenId: apiTokenIdOf(this.#call.actor),
      provenance,
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
