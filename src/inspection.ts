import type { KindName } from './api/kind-names.ts';
import { kinds } from './api/kinds.ts';
import type { Page } from './api/kit/operation.ts';
import type { Kind } from './api/kit/resource.ts';
import { endOfLog } from './changelog/follow.ts';
import { withoutCredentials } from './changelog/log.ts';
import { inView, tableOf } from './changelog/views.ts';
import { isUnrecorded } from './changelog/visible.ts';
import { checkedOptions, requireStorage } from './options.ts';
import { ALL, type FilterSymbol, type Symbols, symbolsOf } from './query/index.ts';
import { pageOf, planList } from './resources/lists.ts';
import { symbolsFor } from './resources/symbols.ts';
import type { Row, StorageAdapter, Store } from './storage/port.ts';
import { storageSchema } from './storage/schema.ts';

/** The store to look at. */
export interface InspectionOptions {
  /** With `readOnly` it may be of any release, and controllers may be open on it. */
  readonly storage: StorageAdapter;
}

/** Which entities to look at. */
export interface InspectionQuery {
  /** A filter as for lists (docs/filters.md), on stored fields only: computed ones cannot be queried. Default: all. */
  readonly filter?: string;
  /** At most 500, and -1 for all. Default 10. */
  readonly limit?: number;
  /** How many to pass over. Default 0. */
  readonly offset?: number;
}

/** A store that is open to look at. */
export interface Inspection {
  /** How many entities there are, by kind; those of kinds that controllers keep for themselves, too. */
  counts(): Promise<Readonly<Partial<Record<KindName, number>>>>;
  /**
   * Entities as they are stored, without hashes and secrets.
   * @throws ApiError `INVALID_FILTER`; TypeError for an unknown kind, or one that the database has no table for yet
   */
  list(kind: KindName, query?: InspectionQuery): Promise<Page<Readonly<Record<string, unknown>>>>;
  /** The last change; undefined if there was none. `at`: ISO text. */
  lastChange(): Promise<{ readonly revision: number; readonly at: string } | undefined>;
  /** Closes the store. */
  close(): Promise<void>;
}

/**
 * Opens a store to look at it, without a controller and without the secret key. Nothing is written.
 *
 * ```ts
 * const inspection = await inspectStore({ storage: sqliteStorage({ file: 'controller.db', readOnly: true }) });
 * console.log(await inspection.counts(), (await inspection.list('identity', { filter: 'isAdmin = true' })).data);
 * await inspection.close();
 * ```
 * @throws StoreUnavailable; StoreSchemaMismatch when the store is empty, or of another release and not `readOnly`
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

const isThere = (store: Store, kind: Kind): boolean => store.kinds?.has(tableOf(kind)) ?? true;

const countsIn = (store: Store): Promise<Readonly<Partial<Record<KindName, number>>>> =>
  store.transaction('read', async (tx) => {
    const counts: Record<string, number> = {};
    for (const kind of Object.values<Kind>(kinds))
      if (isThere(store, kind)) counts[kind.kind] = await tx.count(tableOf(kind), inView(kind, ALL));
    return counts;
  });

const listIn = async (store: Store, name: KindName, query: InspectionQuery): Promise<Page<Readonly<Record<string, unknown>>>> => {
  const kind: Kind | undefined = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (!kind) throw new TypeError(`there is no kind '${name}', but ${Object.keys(kinds).join(', ')}`);
  if (!isThere(store, kind)) throw new TypeError(`the database has no table for ${name} yet: it is of an earlier release`);
  const symbols = storedSymbols(kind);
  const plan = planList(symbols, query);
  const where = inView(kind, plan.where);
  return store.transaction('read', async (tx) => {
    const limit = plan.limit === Infinity ? {} : { limit: plan.limit };
    const rows = await tx.list(tableOf(kind), { where, sort: plan.sort, offset: plan.offset, ...limit });
    return pageOf(
      rows.map((row) => shown(kind, row)),
      plan,
      await tx.count(tableOf(kind), where),
      symbols,
    );
  });
};

/** The symbols without those that only a running controller can resolve. */
const storedSymbols = (kind: Kind): Symbols => {
  const all = symbolsFor(kind);
  const isStored = (name: string) => {
    const further = kind.symbols?.[name];
    return further === undefined || !('computed' in further || 'selectedBy' in further);
  };
  const found = all.names.filter(isStored).flatMap((name): readonly [string, FilterSymbol][] => {
    const symbol = all.find(name);
    return symbol ? [[name, symbol]] : [];
  });
  return symbolsOf(kind.kind, Object.fromEntries(found));
};

const BASE: ReadonlySet<string> = new Set(['id', 'version', 'createdAt', 'updatedAt', 'tags', 'isSystem']);

/** Only fields that the field table declares as stored: hidden ones are secret, and those of earlier releases may be. */
const shown = (kind: Kind, row: Row): Readonly<Record<string, unknown>> => {
  const isShown = (field: string) => BASE.has(field) || (kind.fields[field]?.keep === 'stored' && !isUnrecorded(kind, field));
  return Object.fromEntries(Object.entries(kind === kinds.change ? withoutCredentials(row) : row).filter(([field]) => isShown(field)));
};
