import { LRUCache } from 'lru-cache';
import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Change } from '../changelog/events.ts';
import { followLog, recordsOf } from '../changelog/follow.ts';
import type { LogEnd } from '../changelog/log.ts';
import { LogEnds } from '../changelog/log-ends.ts';
import { tableOf } from '../changelog/views.ts';
import type { RoleIndexes } from '../indexes/role-indexes.ts';
import type { Transaction } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { CachedTransaction } from './cached-transaction.ts';
import { Doorkeeper } from './doorkeeper.ts';
import type { EarliestEnds } from './earliest-ends.ts';
import type { IncompleteRows } from './incomplete-rows.ts';
import { type Partition, partitionBy, recordedTable, rowKey } from './partition.ts';
import type { Dependencies } from './question.ts';

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
/** Maximum number of partitions whose last change is tracked. Beyond it, all count as changed. */
const MAX_PARTS = 10_000;

const allKinds: readonly Kind[] = Object.values(kinds);
const tables: ReadonlyMap<string, string> = new Map(allKinds.map((kind) => [kind.kind, tableOf(kind)]));

/**
 * A cache of rows and answers that nearly every call needs, such as identities, policies and types. Each transaction reads the revision of its snapshot, and
 * the cache follows the change log up to it, so that no outdated entry is served, whichever controller made the change.
 */
export interface ReadCache {
  /** Wraps a read transaction. A view is read past the cache, and sees no grant that has ended. */
  reading(tx: Transaction): CachedTransaction;
  /** Wraps a write transaction. */
  writing(tx: Transaction): CachedTransaction;
  /** Wraps the write transaction that takes ended grants out of effect, which alone may see them. */
  ending(tx: Transaction): CachedTransaction;
  /** Follows the change log up to the snapshot of a transaction. @returns its revision */
  follow(tx: Transaction): Promise<number>;
  /** The same, and reads there when the next grants end. One call at a time. */
  readEnds(tx: Transaction): Promise<void>;
  /** Applies changes that this controller has just committed, so that they need not be read from the log. */
  advance(changes: readonly Change[]): void;
  /** Forgets everything that was read. */
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

/** The parts of a `CachedState` that neither know nor keep anything. */
const UNCACHED = {
  find: () => undefined,
  put: () => undefined,
  putRow: () => undefined,
  isWorthCaching: () => false,
  indexed: async () => undefined,
  assertValid: () => undefined,
};

const UNTIL_DROPPED: Dependencies = Object.freeze([]);

interface Entry {
  readonly value: unknown;
  /** The revision of the last change of its dependencies before the value was read. */
  readonly since: number;
  /** The partitions whose next change invalidates the entry. A row has none: its own change removes it. */
  readonly dependsOn: Dependencies;
  /** The latest revision at which the entry was found valid. */
  validAt: number;
  readonly bytes: number;
}

/**
 * @param maxBytes maximum approximate bytes of all entries
 * @param indexes the role indexes, which follow the same changes. Default: none
 * @param ends the ends of grants, which follow the same changes; transactions are refused while a grant has ended. Default: none
 * @param incomplete the rows that another release left incomplete, which follow its changes; transactions that would see one are refused. Default: none
 */
export const createReadCache = (maxBytes: number, indexes?: RoleIndexes, ends?: Ends, incomplete?: IncompleteRows): ReadCache => {
  // `LRUCache` requires a positive integer, and 0 would mean no limit.
  const maxSize = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(maxBytes)));
  const entries = new LRUCache<string, Entry>({
    maxSize,
    maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxSize),
    sizeCalculation: ({ bytes }) => bytes,
  });
  const doorkeeper = new Doorkeeper(Math.min(MAX_REMEMBERED, maxSize / TEXT_BYTES));
  /** The revision of the last change, by partition. */
  const changed = new Map<string, number>();
  const logEnds = new LogEnds<LogEnd>();
  /** An upper bound of the last change of any partition that is not in `changed`. */
  let changedBefore = -1;
  let revision = -1;

  const clear = (at: number) => {
    entries.clear();
    changed.clear();
    logEnds.forget();
    ends?.earliest.forget();
    changedBefore = revision = at;
  };
  const markChanged = (part: Partition, at: number) => {
    if (changed.size >= MAX_PARTS) {
      changed.clear();
      changedBefore = at;
    }
    changed.set(part, at);
  };
  const apply = ({ revision: at, entity, entityId, before, after }: Change) => {
    const table = tables.get(entity) ?? entity;
    entries.delete(rowKey(table, entityId));
    markChanged(table, at);
    markChanged(partitionBy(table, 'id', entityId), at);
    for (const field of recordedTable(table)?.references ?? [])
      for (const row of [before, after])
        if (row) markChanged(partitionBy(table, field, (row as Readonly<Record<string, unknown>>)[field]), at);
    revision = at;
  };
  const advance = (change: Change) => {
    if (change.revision === revision + 1) apply(change);
    ends?.earliest.apply(change);
    indexes?.apply(change);
  };
  const applyFromLog = (change: Change) => {
    if (change.revision > revision) incomplete?.apply(change);
    advance(change);
  };
  const changedAt = (part: Partition): number => changed.get(part) ?? changedBefore;
  const isValid = (entry: Entry): boolean => {
    if (entry.validAt === revision) return true;
    if (!entry.dependsOn.every((part) => changedAt(part) <= entry.since)) return false;
    entry.validAt = revision;
    return true;
  };
  const put = (key: string, value: unknown, dependsOn: Dependencies, since: number) =>
    entries.set(key, { value, since, dependsOn, validAt: revision, bytes: key.length + freeze(value) + freeze(dependsOn) });
  const state: CachedState = {
    logEnds,
    find: (key, at) => {
      const entry = entries.get(key);
      if (!entry || entry.since > at) return undefined;
      if (isValid(entry)) return entry.value;
      entries.delete(key);
      return undefined;
    },
    put: (key, value, at, dependsOn) => {
      if (at === revision) put(key, value, dependsOn, Math.max(0, ...dependsOn.map(changedAt)));
    },
    putRow: (table, row, at) => {
      if (at === revision) put(rowKey(table, row.id), row, UNTIL_DROPPED, row.version);
    },
    isWorthCaching: (ids) => {
      const recurring = ids.filter((id) => doorkeeper.admit(id)).length;
      return recurring * 2 > ids.length || entries.calculatedSize < maxSize * AMPLE_SHARE;
    },
    get revision() {
      return revision;
    },
    get completions() {
      return incomplete?.completions ?? 0;
    },
    assertValid: (at, completions, mode) => {
      incomplete?.assertComplete(at, completions, mode);
      ends?.earliest.assertValid(at, ends.now());
    },
    indexed: async (tx, table, query, at) => indexes?.find(tx, table, query, at),
    catchUp: async (tx, at, known) => {
      if (at < known) {
        indexes?.reset();
        incomplete?.returnTo(at);
        clear(at);
        return undefined;
      }
      if (at <= revision) return incomplete?.examine(tx, at);
      const isNear = revision >= 0 && at - revision <= MAX_BEHIND;
      // Another transaction may have caught up first. In a group commit, a transaction also sees uncommitted changes of others.
      for await (const { changes } of followLog(recordsOf(tx), revision, { batch: MAX_BEHIND, pages: isNear ? 1 : 0 }))
        for (const change of changes) if (change.revision <= at) applyFromLog(change);
      if (revision >= at) return incomplete?.examine(tx, at);
      // The cache is still behind. If it read the log, the log has a gap, which the indexes cannot follow either.
      if (isNear) indexes?.reset();
      incomplete?.missed(at);
      clear(at);
      return undefined;
    },
  };
  const follow: ReadCache['follow'] = async (tx) => {
    const known = revision;
    const at = await tx.revision();
    await state.catchUp(tx, at, known);
    return at;
  };
  return {
    reading: (tx) => new CachedTransaction(tx, tx.isView ? { ...state, ...UNCACHED } : state, 'read'),
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
    clear: () => clear(revision),
    get bytes() {
      return entries.calculatedSize;
    },
  };
};

/** Deeply freezes a JSON value, because callers share it. @returns its approximate bytes; stops counting above the maximum of an entry */
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
