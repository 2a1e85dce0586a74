import { change as changeKind, type OverriddenTests } from '../../contract/api/changes.ts';
import type { Attribution } from '../../contract/api/kit/attribution.ts';
import { withDerived } from '../../contract/api/kit/derived.ts';
import type { Tags } from '../../contract/api/kit/entity.ts';
import type { Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { type Change, changeId } from '../../contract/changes/events.ts';
import type { Observation } from '../../runtime/observability/observation.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import type { SecretKeys } from '../../runtime/platform/secrets.ts';
import { BY_SYSTEM, type LogLimits, type Provenance } from '../changelog/log.ts';
import { inView, tableOf } from '../changelog/views.ts';
import { visibleFields } from '../changelog/visible.ts';
import { PastTransaction } from '../history/past-transaction.ts';
import type { Undo } from '../history/undo.ts';
import type { CachedTransaction } from '../read-cache/cached-transaction.ts';
import { type Derivation, type Derived, deriveUncached } from '../read-cache/derived-values.ts';
import { newId } from '../storage/ids.ts';
import { ObservedTransaction } from '../storage/observed.ts';
import type { Query, Row, Transaction } from '../storage/port.ts';
import { checkIndexed, rejectTakenValues } from './index-limits.ts';
import type { Precondition } from './precondition.ts';
import { EntityReads } from './reads.ts';
import { sealedUnderSecretKey } from './sealed.ts';
import { SharedTransaction } from './shared-transaction.ts';

/** A new entity. Fields that the caller omits are generated. */
export type NewRow<R extends Kind> = Omit<RowOf<R>, 'id' | 'version' | 'createdAt' | 'updatedAt' | 'tags'> & {
  readonly id?: string;
  readonly tags?: Tags;
};

/** The times at which another controller created and last changed an entity: ISO texts in UTC with three decimals. */
export type Dates = Pick<Row, 'createdAt' | 'updatedAt'>;

/** A `Derivation` that reads through `Entities`. */
export interface EntityDerivation<T> extends Omit<Derivation<T>, 'derive'> {
  /** See `Derivation.derive`. */
  derive(entities: Entities, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

export interface EntitiesContext extends LogLimits, Attribution {
  readonly random: Random;
  /** Returns the time of a write, as ISO text. */
  stamp(): string;
  /** Called for each change, within its transaction. Default: none. */
  readonly inTransaction?: InTransaction | undefined;
  /** Checked when its entity is first read by id or written. */
  readonly precondition?: Precondition | undefined;
  /** The secret keys of the controller. Sealed fields are written under the secret key of the network. */
  readonly keys?: SecretKeys | undefined;
  /** True to bypass the cache, e.g. for callers without a session, to whom timing would reveal which names are taken. Default: false. */
  readonly bypassesCache?: boolean;
  /** The origin of the writes. Default: work of the controller itself. */
  readonly provenance?: Provenance | undefined;
  /** The observation of the call; undefined if the host has no observer. */
  readonly observation?: Observation | undefined;
  /** True if the transaction will be rolled back, so that the end of the log must not be remembered. Default: false. */
  readonly isRehearsal?: boolean;
  /**
   * True for a transaction with so many writes that they must not be kept in memory: `changes` stays empty, and `past` requires an `undo`.
   * Default: false.
   */
  readonly forgetsWrites?: boolean;
}

/**
 * A callback of the host that runs for each change, within its transaction.
 * @param join returns the entities for a call that joins the transaction
 */
export type InTransaction = (change: Change, context: { readonly transaction: unknown }, join: Join) => void | Promise<void>;

/** Joins a transaction: returns entities with their own attribution and `changes`. */
export type Join = (context: EntitiesContext) => Entities;

/**
 * The store within one transaction, typed by kind. All writes use this class, so that none bypasses the change log: a write draws the next
 * revision, which becomes the row's version, and inserts a change record in the same transaction. Kinds declared `unrecorded` are the
 * exception. The precondition of the call is checked here, so that no handler can forget it: `get`, `require`, `update` and `remove` throw
 * ApiError `PRECONDITION_FAILED`.
 */
export class Entities extends EntityReads {
  readonly #context: EntitiesContext;
  /** The entities from which `as` derived these. Their changes include those of the part. */
  readonly #parent: Entities | undefined;
  readonly #changes: Change[] = [];

  constructor(shared: SharedTransaction, context: EntitiesContext, parent?: Entities) {
    super(shared, context.precondition);
    this.#context = context;
    this.#parent = parent;
  }

  /** The changes made through this object so far, without those of the host's hook `inTransaction`. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** All changes of the transaction so far, in order of revision, including those of calls of the hook that joined it. */
  get allChanges(): readonly Change[] {
    return this.shared.changes;
  }

  /**
   * Derives a value from each of the given rows, or from each row that a query selects, in order. Derived texts are cached until one of the
   * rows read for them changes.
   */
  async remember<T>(
    kind: Kind,
    source: Query | readonly Row[],
    { derive, ...options }: EntityDerivation<T>,
  ): Promise<readonly Derived<T>[]> {
    const { tx, cache } = this.shared;
    const scoped = 'where' in source ? { ...source, where: inView(kind, source.where) } : source;
    const entitiesFor = (reads: Transaction) => (reads === tx ? this : entitiesOf(reads, { ...this.#context, observation: undefined }));
    const derivation: Derivation<T> = { ...options, derive: (reads, rows, asTexts) => derive(entitiesFor(reads), rows, asTexts) };
    if (cache) return cache.remember(tableOf(kind), scoped, derivation);
    return deriveUncached(tx, 'where' in scoped ? await tx.list(tableOf(kind), scoped) : scoped, derivation);
  }

  /** @throws ApiError `COULD_NOT_VALIDATE` with the field if a unique value is taken */
  insert<R extends Kind>(kind: R, row: NewRow<R>): Promise<RowOf<R>> {
    return this.#add(kind, row);
  }

  /**
   * Inserts an entity of another controller with its original dates. Does not limit the length of indexed texts. The change record has the
   * current time.
   * @throws as `insert`
   */
  adopt<R extends Kind>(kind: R, row: NewRow<R>, dates: Dates): Promise<RowOf<R>> {
    return this.#add(kind, row, dates);
  }

  async #add<R extends Kind>(kind: R, fields: NewRow<R>, former?: Dates): Promise<RowOf<R>> {
    const { tx } = this.shared;
    const revision = kind.unrecorded ? 1 : await tx.nextRevision();
    const at = this.#context.stamp();
    const id = fields.id ?? newId(this.#context.random);
    const { createdAt, updatedAt } = former ?? { createdAt: at, updatedAt: at };
    const completed: Row = withDerived(kind.fields, { tags: {}, ...fields, id, version: revision, createdAt, updatedAt });
    const row = await this.#seal(kind, completed);
    if (!former) checkIndexed(kind, row);
    if (!kind.logOnly) await rejectTakenValues(kind, row, () => tx.insert(tableOf(kind), row));
    this.shared.note(tableOf(kind), id, undefined);
    if (!kind.unrecorded) await this.#record(kind, 'create', { revision, before: null, after: row, at });
    return row as RowOf<R>;
  }

  /**
   * Applies `changes` to `before`, which must have been read in this transaction.
   * @throws as `insert`; RowMissing; WriteConflict if the row has another version
   */
  async update<R extends Kind>(kind: R, before: RowOf<R>, changes: Partial<RowOf<R>>): Promise<RowOf<R>> {
    const { tx } = this.shared;
    const old: Row = before;
    this.guard?.(kind, old);
    if (kind.unrecorded || Object.keys(changes).every((field) => kind.fields[field]?.volatile)) {
      const row = await this.#seal(kind, { ...old, ...changes });
      await tx.update(tableOf(kind), row, old.version);
      this.shared.note(tableOf(kind), old.id, old);
      return row as RowOf<R>;
    }
    const revision = await tx.nextRevision();
    const at = this.#context.stamp();
    const fixed = { id: old.id, createdAt: old.createdAt, updatedAt: at, version: revision };
    const row = await this.#seal(kind, withDerived<Row>(kind.fields, { ...old, ...changes, ...fixed }));
    checkIndexed(kind, row, old);
    await rejectTakenValues(kind, row, () => tx.update(tableOf(kind), row, old.version));
    this.shared.note(tableOf(kind), old.id, old);
    await this.#record(kind, 'update', { revision, before: old, after: row, at });
    return row as RowOf<R>;
  }

  async remove<R extends Kind>(kind: R, row: RowOf<R>): Promise<void> {
    const { tx } = this.shared;
    const before: Row = row;
    this.guard?.(kind, before);
    if (!(await tx.delete(tableOf(kind), before.id))) return;
    this.shared.note(tableOf(kind), before.id, before);
    if (kind.unrecorded) return;
    const revision = await tx.nextRevision();
    await this.#record(kind, 'delete', { revision, before, after: null, at: this.#context.stamp() });
  }

  /** Appends the record of a write to the change log, and runs the host's hook. */
  async #record(kind: Kind, action: Change['action'], { revision, before, after, at }: RecordedWrite): Promise<void> {
    const context = this.#context;
    const change = {
      revision,
      action,
      entity: kind.kind,
      entityId: (after ?? before)?.id ?? '',
      actor: context.actor,
      requestId: context.requestId,
      onBehalfOf: context.onBehalfOf ?? null,
      reason: context.reason ?? null,
      ...(context.tokenId === undefined ? {} : { tokenId: context.tokenId }),
      at,
      before: before && visibleFields(kind, before),
      after: after && visibleFields(kind, after),
    } as Change; // the kind is a recorded one, and `visibleFields` returns what `ChangedRow` declares
    await this.shared.append(change, context.provenance ?? BY_SYSTEM);
    this.shared.note(changeKind.kind, changeId(revision), undefined);
    this.#keep(change);
    await context.inTransaction?.(change, { transaction: this.shared.tx.host }, (joining) => new Entities(this.shared.joined(), joining));
  }

  #keep(change: Change): void {
    if (!this.#context.forgetsWrites) this.#changes.push(change);
    if (this.#parent) this.#parent.#keep(change);
    else this.shared.keep(change);
  }

  #seal(kind: Kind, row: Row): Promise<Row> {
    return sealedUnderSecretKey(() => this.shared.secretKeyName(), this.#context.keys, kind, row);
  }

  /** See `Transaction.repair`. It does not modify documents, so it is not recorded as a change. */
  repair(kind: Kind, id?: string): Promise<boolean> {
    return this.shared.tx.repair(tableOf(kind), id);
  }

  /**
   * Withholds change records until the returned function appends them together with the policy tests that the transaction overrides. If the
   * function is not called, the transaction must be rolled back.
   */
  holdRecords(): (overridden: OverriddenTests | undefined) => Promise<void> {
    return this.shared.holdRecords();
  }

  /**
   * A read-only view of the state before some changes. Its reads bypass the cache.
   * @param undo the changes to undo. Default: the writes of this transaction so far, including hidden fields
   */
  past(undo: Undo = this.shared.undo): Entities {
    return entitiesOf(new PastTransaction(this.shared.uncached, undo), { ...this.#context, observation: undefined });
  }

  /**
   * The entities of the same transaction for a part of its work, with the attribution and the precondition of that part. Their `changes`
   * are only those of the part; this object's `changes` include them.
   */
  as(part: EntitiesContext): Entities {
    return new Entities(this.shared, { ...part, inTransaction: this.#context.inTransaction }, this);
  }
}

/** A write to be recorded. */
interface RecordedWrite {
  readonly revision: number;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly at: string;
}

/**
 * Creates the entities of one transaction.
 * @param cached wraps the transaction, to read through the cache. Default: every read queries the store
 */
export const entitiesOf = (
  transaction: Transaction,
  context: EntitiesContext,
  cached?: (tx: Transaction) => CachedTransaction,
): Entities => {
  const counted = context.observation ? new ObservedTransaction(transaction, context.observation) : transaction;
  const cache = context.bypassesCache ? undefined : cached?.(counted);
  return new Entities(new SharedTransaction(counted, cache, context), context);
};
