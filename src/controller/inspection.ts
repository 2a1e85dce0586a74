import { pageOf, planList } from '../call/resources/lists.ts';
import { symbolsFor } from '../call/resources/symbols.ts';
import type { KindName } from '../contract/api/kind-names.ts';
import { kinds } from '../contract/api/kinds.ts';
import type { Page } from '../contract/api/kit/operation.ts';
import type { Kind } from '../contract/api/kit/resource.ts';
import { checkedOptions, requireStorage } from '../contract/options.ts';
import { ALL, type FilterSymbol, type Symbols, symbolsOf } from '../query/index.ts';
import { withoutCredentials } from '../store/changelog/log.ts';
import { endOfLog } from '../store/changelog/queries.ts';
import { inView, tableOf } from '../store/changelog/views.ts';
import { isUnrecorded } from '../store/changelog/visible.ts';
import type { Row, StorageAdapter, Store } from '../store/storage/port.ts';
import { storageSchema } from '../store/storage/schema.ts';

/** Options of `inspectStore`. */
export interface InspectionOptions {
  /** The store. If it is `readOnly`, any release may have written it, and controllers may be open on it. */
  readonly storage: StorageAdapter;
}

/** Selects entities to list. */
export interface InspectionQuery {
  /** A filter as for lists (docs/filters.md), but only on stored fields, because computed ones cannot be queried. Default: all entities. */
  readonly filter?: string;
  /** Maximum number of entities, up to 500, or -1 for all. Default: 10. */
  readonly limit?: number;
  /** Number of entities to skip. Default: 0. */
  readonly offset?: number;
}

/** An open store for inspection. */
export interface Inspection {
  /** The number of entities by kind, including the kinds for the bookkeeping of controllers. */
  counts(): Promise<Readonly<Partial<Record<KindName, number>>>>;
  /**
   * Lists entities as they are stored, without hashes and secrets.
   * @throws ApiError `INVALID_FILTER`; TypeError for an unknown kind, or if the database has no table for the kind yet
   */
  list(kind: KindName, query?: InspectionQuery): Promise<Page<Readonly<Record<string, unknown>>>>;
  /** The revision and time (ISO text) of the last change; undefined if the log is empty. */
  lastChange(): Promise<{ readonly revision: number; readonly at: string } | undefined>;
  /** Closes the store. */
  close(): Promise<void>;
}

/**
 * Opens a store to inspect it, without a controller and without the secret key. Nothing is written.
 *
 * ```ts
 * const inspection = await inspectStore({ storage: sqliteStorage({ file: 'controller.db', readOnly: true }) });
 * console.log(await inspection.counts(), (await inspection.list('identity', { filter: 'isAdmin = true' })).data);
 * await inspection.close();
 * ```
 * @throws StoreUnavailable; StoreSchemaMismatch if the store is empty, or of another release and not `readOnly`
 */
export const inspectStore = async (options: InspectionOptions): Promise<Inspection> => {
  const { storage } = checkedOptions('inspectStore', options, { storage: true });
  requireStorage('inspectStore', storage);
  const store = await storage.open(storageSchema);
  return {
    counts: () => countsIn(store),
    list: (name, query = {}) => listIn(store, name, checkedOptions('inspectStore.list', query, QUERY)),
    lastChange: async () => {
      const [last] = await store.transaction('read', (tx) => tx.list(kinds.change.kind, endOfLog('newest')));
      return last && { revision: Number(last.revision), at: last.createdAt };
    },
    close: () => store.close(),
  };
};

const QUERY = { filter: true, limit: true, offset: true } as const;

const hasTable = (store: Store, kind: Kind): boolean => store.kinds?.has(tableOf(kind)) ?? true;

const countsIn = (store: Store): Promise<Readonly<Partial<Record<KindName, number>>>> =>
  store.transaction('read', async (tx) => {
    const counts: Record<string, number> = {};
    for (const kind of Object.values<Kind>(kinds))
      if (hasTable(store, kind)) counts[kind.kind] = await tx.count(tableOf(kind), inView(kind, ALL));
    return counts;
  });

const listIn = async (store: Store, name: KindName, query: InspectionQuery): Promise<Page<Readonly<Record<string, unknown>>>> => {
  const kind: Kind | undefined = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (!kind) throw new TypeError(`there is no kind '${name}', but ${Object.keys(kinds).join(', ')}`);
  if (!hasTable(store, kind)) throw new TypeError(`the database has no table for ${name} yet: it is of an earlier release`);
  const symbols = storedSymbols(kind);
  const plan = planList(symbols, query);
  const where = inView(kind, plan.where);
  return store.transaction('read', async (tx) => {
    const limit = plan.limit === Infinity ? {} : { limit: plan.limit };
    const rows = await tx.list(tableOf(kind), { where, sort: plan.sort, offset: plan.offset, ...limit });
    return pageOf(
      rows.map((row) => visibleFields(kind, row)),
      plan,
      await tx.count(tableOf(kind), where),
      symbols,
    );
  });
};

/** The filter symbols of a kind, except those that only a running controller can resolve. */
const storedSymbols = (kind: Kind): Symbols => {
  const all = symbolsFor(kind);
  const isStored = (name: string) => {
    const declared = kind.symbols?.[name];
    return declared === undefined || !('computed' in declared || 'selectedBy' in declared);
  };
  const found = all.names.filter(isStored).flatMap((name): readonly [string, FilterSymbol][] => {
    const symbol = all.find(name);
    return symbol ? [[name, symbol]] : [];
  });
  return symbolsOf(kind.kind, Object.fromEntries(found));
};

const BASE: ReadonlySet<string> = new Set(['id', 'version', 'createdAt', 'updatedAt', 'tags', 'isSystem']);

/** A row with only the fields that its kind declares as stored. Hidden fields are secret, and unknown fields of earlier releases may be. */
const visibleFields = (kind: Kind, row: Row): Readonly<Record<string, unknown>> => {
  const isVisible = (field: string) => BASE.has(field) || (kind.fields[field]?.keep === 'stored' && !isUnrecorded(kind, field));
  return Object.fromEntries(Object.entries(kind === kinds.change ? withoutCredentials(row) : row).filter(([field]) => isVisible(field)));
};
