import { change as changeKind, type OverriddenTests } from '../api/changes.ts';
import type { Attribution } from '../api/kit/attribution.ts';
import { withDerived } from '../api/kit/derived.ts';
import type { Tags } from '../api/kit/entity.ts';
import type { Kind, RowOf } from '../api/kit/resource.ts';
import { type Change, changeId } from '../changelog/events.ts';
import { BY_SYSTEM, type LogLimits, type Provenance } from '../changelog/log.ts';
import { inView, isInView, tableOf } from '../changelog/views.ts';
import { visibleFields } from '../changelog/visible.ts';
import { notFound } from '../errors/index.ts';
import { pastTransaction } from '../history/past-transaction.ts';
import type { Undo } from '../history/undo.ts';
import type { Observation } from '../observability/observation.ts';
import type { Random } from '../platform/platform.ts';
import type { SecretKeys } from '../platform/secrets.ts';
import { ALL, equals, type Predicate, stringField } from '../query/index.ts';
import type { CachedTransaction } from '../read-cache/cached-transaction.ts';
import { type Derivation, type Derived, deriveUncached } from '../read-cache/derived-values.ts';
import { newId } from '../storage/ids.ts';
import { observed } from '../storage/observed.ts';
import type { Query, Row, Transaction, Verified, VerifyPage } from '../storage/port.ts';
import { checkIndexed, rejectTakenValues } from './index-limits.ts';
import { createGuard, type Precondition } from './precondition.ts';
import { type Answers, type EntityRead, isEmpty } from './reads.ts';
import { sealedUnderNetworkKey } from './sealed.ts';
import { joinedTransaction, type SharedTransaction, sharedTransaction } from './shared-transaction.ts';

/** The fields of a new entity that the caller must provide. The others are generated. */
export type NewRow<R extends Kind> = Omit<RowOf<R>, 'id' | 'version' | 'createdAt' | 'updatedAt' | 'tags'> & {
  readonly id?: string;
  readonly tags?: Tags;
};

/** When an entity was created and last changed by another controller: ISO texts in UTC with three decimals. */
export type Dates = Pick<Row, 'createdAt' | 'updatedAt'>;

/**
 * The store within one transaction, typed by kind. All writes go through this interface, so that none bypasses the change log: a write draws the next revision,
 * which becomes the row's version, and inserts a change record in the same transaction. Kinds declared `unrecorded` are the exception.
 * The precondition of the call is checked here, so that no handler can forget it: `get`, `require`, `update` and `remove` throw ApiError
 * `PRECONDITION_FAILED`.
 */
export interface Entities {
  /** The row with this id. With `allowStale`, it may come from the cache with outdated volatile fields. */
  get<R extends Kind>(kind: R, id: string, options?: { readonly allowStale?: boolean }): Promise<RowOf<R> | undefined>;
  /** @throws ApiError `NOT_FOUND` */
  require<R extends Kind>(kind: R, id: string): Promise<RowOf<R>>;
  list<R extends Kind>(kind: R, query: Query): Promise<readonly RowOf<R>[]>;
  /**
   * The rows that belong to another row, such as the policies that select an identity. They are cached under `name` and the version of that row, which is a
   * shorter key than the predicate.
   * @param name the name of the relation, which must not depend on `owner`
   * @param where must depend only on the fields of `owner`
   */
  listFor<R extends Kind>(kind: R, name: string, owner: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly RowOf<R>[]>;
  /** The row with a unique value. In a read transaction, it may come from the cache with outdated volatile fields: use `get` if these matter. */
  getBy<R extends Kind>(kind: R, field: keyof RowOf<R> & string, value: string): Promise<RowOf<R> | undefined>;
  /** The first row that satisfies the predicate, if any. */
  find<R extends Kind>(kind: R, where: Predicate): Promise<RowOf<R> | undefined>;
  count(kind: Kind, where: Predicate): Promise<number>;
  distinct(kind: Kind, set: string): Promise<readonly string[]>;
  referenced(kind: Kind, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]>;
  /** Runs several reads (`listing`, `referencing`), in one statement if the store can. @returns the answers in the same order */
  readAll<const Reads extends readonly EntityRead<unknown>[]>(reads: Reads): Promise<Answers<Reads>>;
  /** Derives a value from each of the given rows, or from each row of a list, in order. Derived texts are cached until one of the rows that were read for them changes. */
  remember<T>(kind: Kind, source: Query | readonly Row[], derivation: EntityDerivation<T>): Promise<readonly Derived<T>[]>;
  /** @throws ApiError `COULD_NOT_VALIDATE` with the field if a unique value is taken */
  insert<R extends Kind>(kind: R, row: NewRow<R>): Promise<RowOf<R>>;
  /**
   * Inserts an entity of another controller, with its dates, and with indexed texts of any length. The change record has the present time.
   * @throws as `insert`
   */
  adopt<R extends Kind>(kind: R, row: NewRow<R>, dates: Dates): Promise<RowOf<R>>;
  /** Applies `changes` to `before`, which must be the row as read in this transaction. @throws as `insert` */
  update<R extends Kind>(kind: R, before: RowOf<R>, changes: Partial<RowOf<R>>): Promise<RowOf<R>>;
  remove<R extends Kind>(kind: R, row: RowOf<R>): Promise<void>;
  /** Like `Transaction.verify`, for the table of a kind. */
  verify(kind: Kind, page: VerifyPage): Promise<Verified>;
  /** Like `Transaction.repair`. It does not modify documents, so it does not count as a change. */
  repair(kind: Kind, id?: string): Promise<boolean>;
  /** The last revision in the state that this transaction sees. */
  revision(): Promise<number>;
  /** Keeps change records back until the returned function appends them, with the tests that the transaction overrides: else it must be rolled back. */
  holdRecords(): (overridden: OverriddenTests | undefined) => Promise<void>;
  /** The changes of this transaction so far, without those that the host's hook `inTransaction` has made in it. */
  readonly changes: readonly Change[];
  /** All changes of the transaction so far, in order of revision. Also those of the hook's calls, which join it. */
  readonly allChanges: readonly Change[];
  /**
   * A read-only view of the state in which some changes are undone. Its reads bypass the cache.
   * @param undo Default: the writes of this transaction so far, with hidden fields as they were
   */
  past(undo?: Undo): Entities;
  /**
   * The same transaction, as a part of its work sees it: with the attribution and the precondition of that part, and only its own `changes`. The whole has
   * these among its changes, too.
   */
  as(part: EntitiesContext): Entities;
}

/** A `Derivation` that reads through `Entities`. */
export interface EntityDerivation<T> extends Omit<Derivation<T>, 'derive'> {
  /** As `Derivation.derive`. */
  derive(entities: Entities, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

export interface EntitiesContext extends LogLimits, Attribution {
  readonly random: Random;
  /** Returns the time to record for a write, as ISO text. */
  stamp(): string;
  /** Called for each change, within its transaction. Default: none. */
  readonly inTransaction?: InTransaction | undefined;
  /** Checked when its entity is first read by id or written. */
  readonly precondition?: Precondition | undefined;
  /** The secret keys of the controller. Sealed fields are written under the key of the network. */
  readonly keys?: SecretKeys | undefined;
  /** True to bypass the cache, e.g. for callers without a session, to whom timing would reveal which names are in use. Default: false. */
  readonly bypassesCache?: boolean;
  /** Where the writes come from. Default: work of the controller itself. */
  readonly provenance?: Provenance | undefined;
  /** The observation of the call; undefined if the host has no observer. */
  readonly observation?: Observation | undefined;
  /** True if the transaction will be rolled back: what it appends to the log must not be remembered. Default: false. */
  readonly isRehearsal?: boolean;
  /** True for a transaction of very many writes, which must not take memory for each: `changes` stays empty, and `past` needs an undo. Default: false. */
  readonly forgetsWrites?: boolean;
}

/**
 * A callback of the host that runs for each change, within its transaction.
 * @param join returns the entities for a call that joins the transaction
 */
export type InTransaction = (change: Change, context: { readonly transaction: unknown }, join: Join) => void | Promise<void>;

/** Joins a transaction with work of its own: with its own attribution and `changes`. */
export type Join = (context: EntitiesContext) => Entities;

/**
 * Creates the entities of one transaction.
 * @param cached wraps the transaction, to read through the cache. Default: every read queries the store
 */
export const entitiesOf = (
  transaction: Transaction,
  context: EntitiesContext,
  cached?: (tx: Transaction) => CachedTransaction,
): Entities => {
  const counted = context.observation ? observed(transaction, context.observation) : transaction;
  const cache = context.bypassesCache ? undefined : cached?.(counted);
  return entitiesIn(sharedTransaction(counted, cache, context), context);
};

const entitiesIn = (shared: SharedTransaction, context: EntitiesContext, onChange?: (change: Change) => void): Entities => {
  const { tx, cache, networkKey, note } = shared;
  const changes: Change[] = [];
  shared.allChanges ??= context.inTransaction ? [] : changes;
  const pass = onChange ?? (shared.allChanges === changes ? undefined : shared.keep);
  const keep = (change: Change) => {
    if (!context.forgetsWrites) changes.push(change);
    pass?.(change);
  };
  const join: Join = (joining) => entitiesIn(joinedTransaction(shared), joining);
  const guard = context.precondition && createGuard(context.precondition);

  const record = async (
    kind: Kind,
    action: Change['action'],
    revision: number,
    before: Row | null,
    after: Row | null,
    at = after?.updatedAt ?? context.stamp(),
  ) => {
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
    await shared.append(change, context.provenance ?? BY_SYSTEM);
    note(changeKind.kind, changeId(revision), undefined);
    keep(change);
    await context.inTransaction?.(change, { transaction: tx.host }, join);
  };

  const find = async (kind: Kind, id: string): Promise<Row | undefined> => {
    const row = await tx.get(tableOf(kind), id);
    if (!row || !isInView(kind, row)) return undefined;
    guard?.(kind, row);
    return row;
  };

  const findStale = async (kind: Kind, id: string): Promise<Row | undefined> => {
    const row = await (cache ? cache.getStale(tableOf(kind), id) : tx.get(tableOf(kind), id));
    return row && isInView(kind, row) ? row : undefined;
  };

  const add = async <R extends Kind>(kind: R, fields: NewRow<R>, former?: Dates) => {
    const revision = kind.unrecorded ? 1 : await tx.nextRevision();
    const at = context.stamp();
    const id = fields.id ?? newId(context.random);
    const { createdAt, updatedAt } = former ?? { createdAt: at, updatedAt: at };
    const completed: Row = withDerived(kind.fields, { tags: {}, ...fields, id, version: revision, createdAt, updatedAt });
    const row = await sealedUnderNetworkKey(networkKey, context.keys, kind, completed);
    if (!former) checkIndexed(kind, row);
    if (!kind.logOnly) await rejectTakenValues(kind, row, () => tx.insert(tableOf(kind), row));
    note(tableOf(kind), id, undefined);
    if (!kind.unrecorded) await record(kind, 'create', revision, null, row, at);
    return row as RowOf<R>;
  };

  const entities: Entities = {
    changes,
    allChanges: shared.allChanges,
    // The casts to `RowOf` are safe: all rows of a kind were written through `insert` and `update` below.
    get: async <R extends Kind>(kind: R, id: string, { allowStale = false } = {}) =>
      (await (allowStale ? findStale(kind, id) : find(kind, id))) as RowOf<R> | undefined,
    require: async <R extends Kind>(kind: R, id: string) => {
      const row = await find(kind, id);
      if (!row) throw notFound(kind.kind, id);
      return row as RowOf<R>;
    },
    list: async <R extends Kind>(kind: R, query: Query) =>
      (await tx.list(tableOf(kind), { ...query, where: inView(kind, query.where) })) as readonly RowOf<R>[],
    listFor: async <R extends Kind>(kind: R, name: string, owner: Pick<Row, 'id' | 'version'>, where: () => Predicate) =>
      (cache
        ? await cache.listFor(tableOf(kind), name, owner, () => inView(kind, where()))
        : await tx.list(tableOf(kind), { where: inView(kind, where()) })) as readonly RowOf<R>[],
    getBy: async <R extends Kind>(kind: R, field: string, value: string) => {
      const where = equals(stringField(field), value);
      const row = cache ? await cache.getBy(tableOf(kind), field, value) : (await tx.list(tableOf(kind), { where, limit: 1 }))[0];
      return row && isInView(kind, row) ? (row as RowOf<R>) : undefined;
    },
    find: async <R extends Kind>(kind: R, where: Predicate) =>
      (await tx.list(tableOf(kind), { where: inView(kind, where), limit: 1 }))[0] as RowOf<R> | undefined,
    count: (kind, where) => tx.count(tableOf(kind), inView(kind, where)),
    distinct: (kind, set) => tx.distinct(tableOf(kind), set),
    referenced: (kind, field, values, where) =>
      values.length === 0
        ? Promise.resolve([])
        : tx.referenced(tableOf(kind), field, values, kind.view ? inView(kind, where ?? ALL) : where),
    readAll: async <const Reads extends readonly EntityRead<unknown>[]>(reads: Reads) => {
      const needed = reads.flatMap(({ read }) => (isEmpty(read) ? [] : [read]));
      const answers = needed.length === 0 ? [] : await tx.readAll(needed);
      // Results are in the order of the reads, and the type of each follows from the type of its read.
      return reads.map(({ read }) => answers[needed.indexOf(read)] ?? []) as unknown as Answers<Reads>;
    },
    remember: async <T>(kind: Kind, source: Query | readonly Row[], { derive, ...options }: EntityDerivation<T>) => {
      const viewed = 'where' in source ? { ...source, where: inView(kind, source.where) } : source;
      const entitiesFor = (reads: Transaction) => (reads === tx ? entities : entitiesOf(reads, { ...context, observation: undefined }));
      const derivation: Derivation<T> = { ...options, derive: (reads, rows, asTexts) => derive(entitiesFor(reads), rows, asTexts) };
      if (cache) return cache.remember(tableOf(kind), viewed, derivation);
      return deriveUncached(tx, 'where' in viewed ? await tx.list(tableOf(kind), viewed) : viewed, derivation);
    },
    insert: (kind, fields) => add(kind, fields),
    adopt: (kind, fields, dates) => add(kind, fields, dates),
    update: async <R extends Kind>(kind: R, before: RowOf<R>, changed: Partial<RowOf<R>>) => {
      const old: Row = before;
      guard?.(kind, old);
      const isUnrecorded = kind.unrecorded || Object.keys(changed).every((field) => kind.fields[field]?.volatile);
      if (isUnrecorded) {
        const row = await sealedUnderNetworkKey(networkKey, context.keys, kind, { ...old, ...changed } as Row);
        await tx.update(tableOf(kind), row, old.version);
        note(tableOf(kind), old.id, old);
        return row as RowOf<R>;
      }
      const revision = await tx.nextRevision();
      const fixed = { id: old.id, createdAt: old.createdAt, updatedAt: context.stamp(), version: revision };
      const completed: Row = withDerived(kind.fields, { ...old, ...changed, ...fixed });
      const row = await sealedUnderNetworkKey(networkKey, context.keys, kind, completed);
      checkIndexed(kind, row, old);
      await rejectTakenValues(kind, row, () => tx.update(tableOf(kind), row, old.version));
      note(tableOf(kind), old.id, old);
      await record(kind, 'update', revision, old, row);
      return row as RowOf<R>;
    },
    remove: async (kind, old: Row) => {
      guard?.(kind, old);
      if (!(await tx.delete(tableOf(kind), old.id))) return;
      note(tableOf(kind), old.id, old);
      if (!kind.unrecorded) await record(kind, 'delete', await tx.nextRevision(), old, null);
    },
    revision: () => tx.revision(),
    holdRecords: shared.holdRecords,
    as: ({ inTransaction: _, ...part }) => entitiesIn(shared, { ...part, inTransaction: context.inTransaction }, keep),
    verify: (kind, page) => tx.verify(tableOf(kind), page),
    repair: (kind, id) => tx.repair(tableOf(kind), id),
    past: (undo = shared.written) => entitiesOf(pastTransaction(shared.uncached, undo), { ...context, observation: undefined }),
  };
  return entities;
};
