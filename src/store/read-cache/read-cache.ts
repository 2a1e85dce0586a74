import { LRUCache } from 'lru-cache';
import { kinds } from '../../contract/api/index.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Change } from '../../contract/changes/events.ts';
import { followLog, recordsOf } from '../changelog/follow.ts';
import { LogEnds } from '../changelog/log-ends.ts';
import { tableOf } from '../changelog/views.ts';
import type { RoleIndexes } from '../indexes/role-indexes.ts';
import type { Row, Transaction } from '../storage/port.ts';
import type { Dependencies } from './cacheable-query.ts';
import type { CachedState, EntryCache } from './cached-state.ts';
import { CachedTransaction } from './cached-transaction.ts';
import { Doorkeeper } from './doorkeeper.ts';
import type { EarliestEnds } from './earliest-ends.ts';
import type { IncompleteRows } from './incomplete-rows.ts';
import { type Partition, partitionBy, recordedTable, rowKey } from './partition.ts';

/** Maximum approximate bytes of an entry. A larger one would displace many entries that nearly every call needs. */
const MAX_ENTRY_BYTES = 64 * 1024;
/** Fill level up to which every page is cached. Beyond it, a page is cached only if most of its rows were requested recently. */
const AMPLE_SHARE = 0.75;
/** Maximum number of requested rows that the doorkeeper remembers. */
const MAX_REMEMBERED = 1_000_000;
/** Approximate bytes of a derived value. */
const TEXT_BYTES = 2048;
/** Maximum number of changes that are read to catch up. If there are more, the cache is cleared. */
const MAX_BEHIND = 200;
/** Maximum number of partitions whose last change is tracked individually. Beyond it, all count as changed. */
const MAX_PARTITIONS = 10_000;

const allKinds: readonly Kind[] = Object.values(kinds);
const tables: ReadonlyMap<string, string> = new Map(allKinds.map((kind) => [kind.kind, tableOf(kind)]));

/**
 * A cache of rows and answers that nearly every call needs, such as identities, policies and types. Each transaction reads the revision of
 * its snapshot, and the cache follows the change log up to it, so that no stale entry is served, whichever controller made the change.
 */
export interface ReadCache {
  /** Wraps a read transaction. Reads of a view bypass the cache. */
  reading(tx: Transaction): CachedTransaction;
  /** Wraps a write transaction. */
  writing(tx: Transaction): CachedTransaction;
  /** Wraps the write transaction that takes ended grants out of effect: unlike any other, it may read them. */
  ending(tx: Transaction): CachedTransaction;
  /**
   * Follows the change log up to the snapshot of a transaction.
   * @returns its revision
   */
  follow(tx: Transaction): Promise<number>;
  /** Follows the change log, and then reads when the next grants end. One call at a time. */
  readEnds(tx: Transaction): Promise<void>;
  /** Applies changes that this controller has just committed, so that they need not be read from the log. */
  advance(changes: readonly Change[]): void;
  /** Removes all entries. */
  clear(): void;
  /** Approximate bytes of all entries. */
  readonly bytes: number;
}

/** The ends of grants, and the clock by which they end. */
interface Ends {
  readonly earliest: EarliestEnds;
  /** ms since 1970 */
  now(): number;
}

const UNTIL_REMOVED: Dependencies = Object.freeze([]);

interface Entry {
  readonly value: unknown;
  /** The revision of the last change of its dependencies before the value was read. */
  readonly since: number;
  /** The partitions whose next change invalidates the entry. Empty for a row, which is removed by its own change. */
  readonly dependsOn: Dependencies;
  /** The latest revision at which the entry was found valid. */
  validAt: number;
  readonly bytes: number;
}

/** Entries that are invalidated by changes to the partitions on which they depend. */
class CachedEntries implements EntryCache {
  readonly #entries: LRUCache<string, Entry>;
  readonly #maxSize: number;
  readonly #doorkeeper: Doorkeeper;
  /** The revision of the last change, by partition. */
  readonly #changed = new Map<Partition, number>();
  /** An upper bound of the last change of any partition that is not in `#changed`. */
  #changedBefore = -1;
  #revision = -1;

  constructor(maxBytes: number) {
    // `LRUCache` requires a positive integer, and 0 would mean no limit.
    this.#maxSize = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(maxBytes)));
    this.#entries = new LRUCache({
      maxSize: this.#maxSize,
      maxEntrySize: Math.min(MAX_ENTRY_BYTES, this.#maxSize),
      sizeCalculation: ({ bytes }) => bytes,
    });
    this.#doorkeeper = new Doorkeeper(Math.min(MAX_REMEMBERED, this.#maxSize / TEXT_BYTES));
  }

  get revision(): number {
    return this.#revision;
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  find(key: string, at: number): unknown {
    const entry = this.#entries.get(key);
    if (!entry || entry.since > at) return undefined;
    if (this.#isValid(entry)) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  put(key: string, value: unknown, at: number, dependsOn: Dependencies): void {
    if (at !== this.#revision) return;
    this.#put(key, value, dependsOn, Math.max(0, ...dependsOn.map((part) => this.#changedAt(part))));
  }

  putRow(table: string, row: Row, at: number): void {
    if (at === this.#revision) this.#put(rowKey(table, row.id), row, UNTIL_REMOVED, row.version);
  }

  isWorthCaching(ids: readonly string[]): boolean {
    const recurring = ids.filter((id) => this.#doorkeeper.admit(id)).length;
    return recurring * 2 > ids.length || this.#entries.calculatedSize < this.#maxSize * AMPLE_SHARE;
  }

  /** Invalidates the entries that depend on a change, which must be the next one after `revision`. */
  apply({ revision, entity, entityId, before, after }: Change): void {
    const table = tables.get(entity) ?? entity;
    this.#entries.delete(rowKey(table, entityId));
    this.#markChanged(table, revision);
    this.#markChanged(partitionBy(table, 'id', entityId), revision);
    for (const field of recordedTable(table)?.references ?? []) {
      const [was, is] = [partOf(table, field, before), partOf(table, field, after)];
      if (was) this.#markChanged(was, revision);
      if (is && is !== was) this.#markChanged(is, revision);
    }
    this.#revision = revision;
  }

  /** Removes all entries, and continues at a revision. */
  clear(revision = this.#revision): void {
    this.#entries.clear();
    this.#changed.clear();
    this.#changedBefore = this.#revision = revision;
  }

  #put(key: string, value: unknown, dependsOn: Dependencies, since: number): void {
    const bytes = key.length + freeze(value) + freeze(dependsOn);
    this.#entries.set(key, { value, since, dependsOn, validAt: this.#revision, bytes });
  }

  #isValid(entry: Entry): boolean {
    if (entry.validAt === this.#revision) return true;
    if (!entry.dependsOn.every((part) => this.#changedAt(part) <= entry.since)) return false;
    entry.validAt = this.#revision;
    return true;
  }

  #changedAt(part: Partition): number {
    return this.#changed.get(part) ?? this.#changedBefore;
  }

  #markChanged(part: Partition, revision: number): void {
    if (this.#changed.size >= MAX_PARTITIONS) {
      this.#changed.clear();
      this.#changedBefore = revision;
    }
    this.#changed.set(part, revision);
  }
}

/** Serves the reads of views, which must not use the cache. */
const NO_ENTRIES: Omit<EntryCache, 'revision'> = {
  find: () => undefined,
  put: () => undefined,
  putRow: () => undefined,
  isWorthCaching: () => false,
};

/** The state that follows the same changes as the cache. Each part is optional. */
export interface CacheFollowers {
  readonly indexes?: RoleIndexes | undefined;
  /** Transactions are refused while a grant has ended but is still in effect. */
  readonly ends?: Ends | undefined;
  /** The rows that another release left incomplete. Transactions that would read one are refused. */
  readonly incomplete?: IncompleteRows | undefined;
}

/** @param maxBytes maximum approximate bytes of all entries */
export const createReadCache = (maxBytes: number, { indexes, ends, incomplete }: CacheFollowers = {}): ReadCache => {
  const entries = new CachedEntries(maxBytes);
  const logEnds = new LogEnds();
  const clear = (revision: number) => {
    entries.clear(revision);
    logEnds.forget();
    ends?.earliest.forget();
  };
  const advance = (change: Change) => {
    if (change.revision === entries.revision + 1) entries.apply(change);
    ends?.earliest.apply(change);
    indexes?.apply(change);
  };
  const catchUp: CachedState['catchUp'] = async (tx, revision, initialRevision) => {
    if (revision < initialRevision) {
      indexes?.reset();
      incomplete?.returnTo(revision);
      clear(revision);
      return undefined;
    }
    if (revision <= entries.revision) return incomplete?.examine(tx, revision);
    const isNear = entries.revision >= 0 && revision - entries.revision <= MAX_BEHIND;
    // Another transaction may have caught up first. In a group commit, a transaction also sees uncommitted changes of others.
    for await (const { changes } of followLog(recordsOf(tx), entries.revision, { batch: MAX_BEHIND, pages: isNear ? 1 : 0 }))
      for (const change of changes) {
        if (change.revision > revision) continue;
        if (change.revision > entries.revision) incomplete?.apply(change);
        advance(change);
      }
    if (entries.revision >= revision) return incomplete?.examine(tx, revision);
    // The cache is still behind. If it read the log, the log has a gap, which the indexes cannot follow either.
    if (isNear) indexes?.reset();
    incomplete?.missed(revision);
    clear(revision);
    return undefined;
  };
  const state: CachedState = {
    entries,
    logEnds,
    get completions() {
      return incomplete?.completions ?? 0;
    },
    assertValid: (revision, completions, mode) => {
      incomplete?.assertComplete(revision, completions, mode);
      ends?.earliest.assertValid(revision, ends.now());
    },
    findIndexed: async (tx, table, query, revision) => indexes?.find(tx, table, query, revision),
    numberedRows: (table, revision) => indexes?.rowsAt(table, revision),
    catchUp,
  };
  /** The state for views, whose reads bypass the cache. */
  const uncached = (): CachedState => ({
    ...state,
    entries: { ...NO_ENTRIES, revision: entries.revision },
    findIndexed: async () => undefined,
    numberedRows: () => undefined,
    assertValid: () => undefined,
  });
  const follow = async (tx: Transaction): Promise<number> => {
    const initialRevision = entries.revision;
    const revision = await tx.revision();
    await catchUp(tx, revision, initialRevision);
    return revision;
  };
  return {
    reading: (tx) => new CachedTransaction(tx, tx.isView ? uncached() : state, 'read'),
    writing: (tx) => new CachedTransaction(tx, state, 'write'),
    ending: (tx) => new CachedTransaction(tx, { ...state, assertValid: () => undefined }, 'write'),
    follow,
    readEnds: async (tx) => ends?.earliest.read(tx, await follow(tx)),
    advance: (changes) => {
      for (const change of changes) {
        incomplete?.pass(change.revision);
        advance(change);
        logEnds.commit(change.revision);
      }
    },
    clear: () => clear(entries.revision),
    get bytes() {
      return entries.bytes;
    },
  };
};

/** The partition of a row by a reference. */
const partOf = (table: string, field: string, row: object | null): Partition | undefined =>
  row ? partitionBy(table, field, (row as Readonly<Record<string, unknown>>)[field]) : undefined; // rows have fields of any name

/**
 * Deeply freezes a JSON value, because callers share it.
 * @returns its approximate bytes; stops counting above the maximum of an entry
 */
const freeze = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  Object.freeze(value);
  let bytes = 64;
  for (const each of Object.values(value)) {
    bytes += freeze(each);
    if (bytes > MAX_ENTRY_BYTES) break;
  }
  return bytes;
};
