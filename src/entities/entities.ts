import type { Attribution } from '../api/kit/attribution.ts';
import { withDerived } from '../api/kit/derived.ts';
import type { Tags } from '../api/kit/entity.ts';
import type { Kind, RowOf } from '../api/kit/resource.ts';
import type { Change } from '../changelog/events.ts';
import { type AppendChange, changeLog, type LogLimits } from '../changelog/log.ts';
import { inView, isInView, tableOf } from '../changelog/views.ts';
import { visibleFields } from '../changelog/visible.ts';
import { invalidField, notFound } from '../errors/index.ts';
import type { Observation } from '../observability/observation.ts';
import type { Random } from '../platform/platform.ts';
import type { SecretKeys } from '../platform/secrets.ts';
import { ALL, equals, type Predicate, stringField } from '../query/index.ts';
import type { CachedTransaction } from '../read-cache/cached-transaction.ts';
import { type Derivation, type Derived, deriveUncached } from '../read-cache/derived-values.ts';
import { UniqueViolation } from '../storage/errors.ts';
import { newId } from '../storage/ids.ts';
import { observed } from '../storage/observed.ts';
import type { Query, Row, Transaction, Verified, VerifyPage } from '../storage/port.ts';
import { checkIndexed } from './index-limits.ts';
import { createGuard, type Precondition } from './precondition.ts';
import { type Answers, type EntityRead, isEmpty } from './reads.ts';
import { networkKeyIn, underNetworkKey } from './sealed.ts';

/** The fields of a new entity that the store does not add itself. */
export type NewRow<R extends Kind> = Omit<RowOf<R>, 'id' | 'version' | 'createdAt' | 'updatedAt' | 'tags'> & {
  readonly id?: string;
  readonly tags?: Tags;
};

/**
 * The store inside one transaction, typed by kind. Every write goes through here, so that none bypasses the change log: it draws the next revision,
 * which becomes the row's version, and inserts a change record in the same transaction; kinds declared `unrecorded` do not.
 * The call's precondition is checked here, so that no handler can forget it: `get`, `require`, `update` and `remove` throw ApiError
 * `PRECONDITION_FAILED`.
 */
export interface Entities {
  /** The row with this id. */
  get<R extends Kind>(kind: R, id: string, options?: GetOptions): Promise<RowOf<R> | undefined>;
  /** @throws ApiError `NOT_FOUND` */
  require<R extends Kind>(kind: R, id: string): Promise<RowOf<R>>;
  list<R extends Kind>(kind: R, query: Query): Promise<readonly RowOf<R>[]>;
  /**
   * The rows that belong to another one, such as the policies that select an identity. They are cached by `name` and the version of that row: a shorter key
   * than the predicate.
   * @param name the same for every row `of`
   * @param where built from the fields of `of` and nothing else
   */
  listFor<R extends Kind>(kind: R, name: string, of: Pick<Row, 'id' | 'version'>, where: () => Predicate): Promise<readonly RowOf<R>[]>;
  /** The row with a unique value. In a read transaction it may come from the cache with outdated volatile fields: use `get` if these matter. */
  getBy<R extends Kind>(kind: R, field: keyof RowOf<R> & string, value: string): Promise<RowOf<R> | undefined>;
  /** The only row that satisfies it, or none. */
  find<R extends Kind>(kind: R, where: Predicate): Promise<RowOf<R> | undefined>;
  count(kind: Kind, where: Predicate): Promise<number>;
  distinct(kind: Kind, set: string): Promise<readonly string[]>;
  referenced(kind: Kind, field: string, values: readonly string[], where?: Predicate): Promise<readonly string[]>;
  /** The answers to several questions (`listing`, `referencing`), in their order: in one statement, if the store can. */
  readAll<const Reads extends readonly EntityRead<unknown>[]>(reads: Reads): Promise<Answers<Reads>>;
  /** A value derived from each of some rows, or of those of a list, in their order. Texts are cached until something changes that was read for them. */
  remember<T>(kind: Kind, of: Query | readonly Row[], making: EntityDerivation<T>): Promise<readonly Derived<T>[]>;
  /** @throws ApiError `COULD_NOT_VALIDATE` with the field if a unique value is taken */
  insert<R extends Kind>(kind: R, row: NewRow<R>): Promise<RowOf<R>>;
  /** Writes `changes` over `before`, which must be the row as read in this transaction. @throws as `insert` */
  update<R extends Kind>(kind: R, before: RowOf<R>, changes: Partial<RowOf<R>>): Promise<RowOf<R>>;
  remove<R extends Kind>(kind: R, row: RowOf<R>): Promise<void>;
  /** Like `Transaction.verify`, for the table of a kind. */
  verify(kind: Kind, page: VerifyPage): Promise<Verified>;
  /** Like `Transaction.repair`. Documents stay as they are, so it does not count as a change. */
  repair(kind: Kind, id?: string): Promise<boolean>;
  /** The revision of the state that it sees. */
  revision(): Promise<number>;
  /** The changes of this transaction so far. */
  readonly changes: readonly Change[];
}

/** How a value is derived from a row, by entities. */
export interface EntityDerivation<T> extends Omit<Derivation<T>, 'derive'> {
  /** As `Derivation.derive`. */
  derive(entities: Entities, rows: readonly Row[], asTexts: boolean): Promise<readonly (string | T)[]>;
}

export interface GetOptions {
  /** Volatile fields may be outdated, as in a cached row: for callers to which they do not matter. Default: false. */
  readonly allowStale?: boolean;
}

export interface EntitiesContext extends LogLimits, Attribution {
  readonly random: Random;
  /** The time of a write, ISO text. */
  stamp(): string;
  /** Runs for each change, in its transaction. Default: nothing. */
  readonly inTransaction?: InTransaction | undefined;
  /** Checked at each read of its entity by id, and at each write. */
  readonly precondition?: Precondition | undefined;
  /** The secret keys of the controller: what is sealed is written under the key of the network. */
  readonly keys?: SecretKeys | undefined;
  /** Bypasses the cache, e.g. for callers without a session: timing would reveal to them which names are in use. Default: false. */
  readonly bypassesCache?: boolean;
  /** The observation of the call; undefined if the host has no observer. */
  readonly observation?: Observation | undefined;
}

/** Work of the host for each change, in its transaction. */
export type InTransaction = (change: Change, context: { readonly transaction: unknown }) => void | Promise<void>;

/**
 * The entities of one transaction.
 * @param cached reads through the cache. Default: every read queries the store
 */
export const entitiesOf = (
  transaction: Transaction,
  context: EntitiesContext,
  cached?: (tx: Transaction) => CachedTransaction,
): Entities => {
  const counted = context.observation ? observed(transaction, context.observation) : transaction;
  const cache = context.bypassesCache ? undefined : cached?.(counted);
  const tx: Transaction = cache ?? counted;
  const changes: Change[] = [];
  let append: AppendChange | undefined;
  const guard = context.precondition && createGuard(context.precondition);
  // Read once: no other transaction replaces the key while this one writes, and one that replaces it writes the key check first.
  let nameOfKey: Promise<string | undefined> | undefined;
  const networkKey = () => (nameOfKey ??= networkKeyIn(tx));

  const record = async (kind: Kind, action: Change['action'], revision: number, before: Row | null, after: Row | null) => {
    const change = {
      revision,
      action,
      entity: kind.kind,
      entityId: (after ?? before)?.id ?? '',
      actor: context.actor,
      requestId: context.requestId,
      onBehalfOf: context.onBehalfOf ?? null,
      reason: context.reason ?? null,
      at: after?.updatedAt ?? context.stamp(),
      before: before && visibleFields(kind, before),
      after: after && visibleFields(kind, after),
    } as Change; // of a recorded kind, and `visibleFields` leaves of a row what `ChangedRow` says
    append ??= changeLog(tx, context, cache?.logEnds);
    await append(change);
    changes.push(change);
    await context.inTransaction?.(change, { transaction: tx.host });
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

  const entities: Entities = {
    changes,
    // Rows of a kind have the shape that its field table says: they were written through `insert` and `update` below.
    get: async <R extends Kind>(kind: R, id: string, { allowStale = false }: GetOptions = {}) =>
      (await (allowStale ? findStale(kind, id) : find(kind, id))) as RowOf<R> | undefined,
    require: async <R extends Kind>(kind: R, id: string) => {
      const row = await find(kind, id);
      if (!row) throw notFound(kind.kind, id);
      return row as RowOf<R>;
    },
    list: async <R extends Kind>(kind: R, query: Query) =>
      (await tx.list(tableOf(kind), { ...query, where: inView(kind, query.where) })) as readonly RowOf<R>[],
    listFor: async <R extends Kind>(kind: R, name: string, of: Pick<Row, 'id' | 'version'>, where: () => Predicate) =>
      (cache
        ? await cache.listFor(tableOf(kind), name, of, () => inView(kind, where()))
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
      const asked = reads.flatMap(({ read }) => (isEmpty(read) ? [] : [read]));
      const answers = asked.length === 0 ? [] : await tx.readAll(asked);
      // In the order of the questions, each of which says what its answer is.
      return reads.map(({ read }) => answers[asked.indexOf(read)] ?? []) as unknown as Answers<Reads>;
    },
    remember: async <T>(kind: Kind, of: Query | readonly Row[], { derive, ...how }: EntityDerivation<T>) => {
      const asked = 'where' in of ? { ...of, where: inView(kind, of.where) } : of;
      const reading = (reads: Transaction) => (reads === tx ? entities : entitiesOf(reads, { ...context, observation: undefined }));
      const derivation: Derivation<T> = { ...how, derive: (reads, rows, asTexts) => derive(reading(reads), rows, asTexts) };
      if (cache) return cache.remember(tableOf(kind), asked, derivation);
      return deriveUncached(tx, 'where' in asked ? await tx.list(tableOf(kind), asked) : asked, derivation);
    },
    insert: async <R extends Kind>(kind: R, fields: NewRow<R>) => {
      const revision = kind.unrecorded ? 1 : await tx.nextRevision();
      const at = context.stamp();
      const id = fields.id ?? newId(context.random);
      const given: Row = withDerived(kind.fields, { tags: {}, ...fields, id, version: revision, createdAt: at, updatedAt: at });
      const row = await underNetworkKey(networkKey, context.keys, kind, given);
      checkIndexed(kind, row);
      await taken(kind, row, () => tx.insert(tableOf(kind), row));
      if (!kind.unrecorded) await record(kind, 'create', revision, null, row);
      return row as RowOf<R>;
    },
    update: async <R extends Kind>(kind: R, before: RowOf<R>, changed: Partial<RowOf<R>>) => {
      const old: Row = before;
      guard?.(kind, old);
      const quiet = kind.unrecorded || Object.keys(changed).every((field) => kind.fields[field]?.volatile);
      if (quiet) {
        const row = await underNetworkKey(networkKey, context.keys, kind, { ...old, ...changed } as Row);
        await tx.update(tableOf(kind), row, old.version);
        return row as RowOf<R>;
      }
      const revision = await tx.nextRevision();
      const fixed = { id: old.id, createdAt: old.createdAt, updatedAt: context.stamp(), version: revision };
      const given: Row = withDerived(kind.fields, { ...old, ...changed, ...fixed });
      const row = await underNetworkKey(networkKey, context.keys, kind, given);
      checkIndexed(kind, row, old);
      await taken(kind, row, () => tx.update(tableOf(kind), row, old.version));
      await record(kind, 'update', revision, old, row);
      return row as RowOf<R>;
    },
    remove: async (kind, old: Row) => {
      guard?.(kind, old);
      if (!(await tx.delete(tableOf(kind), old.id))) return;
      if (!kind.unrecorded) await record(kind, 'delete', await tx.nextRevision(), old, null);
    },
    revision: () => tx.revision(),
    verify: (kind, page) => tx.verify(tableOf(kind), page),
    repair: (kind, id) => tx.repair(tableOf(kind), id),
  };
  return entities;
};

const taken = async (kind: Kind, row: Row, write: () => Promise<void>) => {
  try {
    await write();
  } catch (error) {
    if (error instanceof UniqueViolation && error.kind === tableOf(kind))
      throw invalidField(error.field, `${error.field} must be unique`, row[error.field]);
    throw error;
  }
};
