import { LRUCache } from 'lru-cache';
import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Change } from '../changelog/events.ts';
import { followLog, recordsOf } from '../changelog/follow.ts';
import type { Extent } from '../changelog/log.ts';
import { LogEnds } from '../changelog/log-ends.ts';
import { tableOf } from '../changelog/views.ts';
import type { RoleIndexes } from '../indexes/role-indexes.ts';
import type { Transaction } from '../storage/port.ts';
import type { CachedState } from './cached-state.ts';
import { CachedTransaction } from './cached-transaction.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { type Partition, partitionBy, recordedTable, rowKey } from './partition.ts';
import type { Dependencies } from './question.ts';

/** Maximum approximate bytes of an entry: a larger one would displace many that nearly every call needs. */
const MAX_ENTRY_BYTES = 64 * 1024;
/** Share of the size up to which every page is cached. Beyond it, rows of pages are cached when they are asked for again. */
const FILLED = 0.75;
/** Maximum number of rows that the cache remembers as requested. */
const MAX_NOTED = 1_000_000;
/** Approximate bytes of a derived value. */
const TEXT_BYTES = 2048;
/** Changes that are read to catch up. After more, the cache is cleared. */
const MAX_BEHIND = 200;
/** Partitions whose last change is known. With more, all count as changed. */
const MAX_PARTS = 10_000;

const allKinds: readonly Kind[] = Object.values(kinds);
const tables: ReadonlyMap<string, string> = new Map(allKinds.map((kind) => [kind.kind, tableOf(kind)]));

/**
 * A cache of rows and answers that nearly every call needs: identities, policies, types. Each transaction reads the revision of its snapshot, and the
 * cache follows the change log up to there, so that no entry is served after a change that any controller has made.
 */
export interface ReadCache {
  /** Wraps a read transaction. */
  reading(tx: Transaction): CachedTransaction;
  /** Wraps a write transaction. */
  writing(tx: Transaction): CachedTransaction;
  /** Applies changes that this controller has committed, for which the log need not be read. */
  advance(changes: readonly Change[]): void;
  /** Approximate bytes of all entries. */
  readonly bytes: number;
}

const UNTIL_DROPPED: Dependencies = Object.freeze([]);

interface Entry {
  readonly value: unknown;
  /** The revision of the last change of its dependencies before it was read. */
  readonly since: number;
  /** The partitions whose next change invalidates it. A row has none: its own change removes it. */
  readonly dependsOn: Dependencies;
  /** The latest revision at which it was found valid. */
  validAt: number;
  readonly bytes: number;
}

/**
 * @param maxBytes maximum approximate bytes of all entries
 * @param indexes follow the same changes. Default: none, and the store answers
 */
export const createReadCache = (maxBytes: number, indexes?: RoleIndexes): ReadCache => {
  // `LRUCache` wants a positive integer; 0 would mean no limit.
  const maxSize = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(maxBytes)));
  const entries = new LRUCache<string, Entry>({
    maxSize,
    maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxSize),
    sizeCalculation: ({ bytes }) => bytes,
  });
  const doorkeeper = new Doorkeeper(Math.min(MAX_NOTED, maxSize / TEXT_BYTES));
  /** The revision of the last change, by partition. */
  const changed = new Map<string, number>();
  const logEnds = new LogEnds<Extent>();
  /** `begun` is the latest possible last change of partitions that are not in `changed`. */
  let [begun, revision] = [-1, -1];

  const clear = (at: number) => {
    entries.clear();
    changed.clear();
    logEnds.forget();
    begun = revision = at;
  };
  const note = (part: Partition, at: number) => {
    if (changed.size >= MAX_PARTS) {
      changed.clear();
      begun = at;
    }
    changed.set(part, at);
  };
  const apply = ({ revision: at, entity, entityId, before, after }: Change) => {
    const table = tables.get(entity) ?? entity;
    entries.delete(rowKey(table, entityId));
    note(table, at);
    note(partitionBy(table, 'id', entityId), at);
    for (const field of recordedTable(table)?.references ?? [])
      for (const row of [before, after]) if (row) note(partitionBy(table, field, (row as Readonly<Record<string, unknown>>)[field]), at); // a field of its kind
    revision = at;
  };
  const take = (change: Change) => {
    if (change.revision === revision + 1) apply(change);
    indexes?.apply(change);
  };
  const changedAt = (part: Partition): number => changed.get(part) ?? begun;
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
      const again = ids.filter((id) => doorkeeper.admit(id)).length;
      return again * 2 > ids.length || entries.calculatedSize < maxSize * FILLED;
    },
    get revision() {
      return revision;
    },
    indexed: async (tx, table, query, at) => indexes?.find(tx, table, query, at),
    catchUp: async (tx, at, known) => {
      if (at < known) {
        indexes?.reset();
        return clear(at);
      }
      if (at <= revision) return;
      const isNear = revision >= 0 && at - revision <= MAX_BEHIND;
      // Another transaction may have caught up first. In a group commit, one transaction sees uncommitted changes of others.
      for await (const { changes } of followLog(recordsOf(tx), revision, { batch: MAX_BEHIND, pages: isNear ? 1 : 0 }))
        for (const change of changes) if (change.revision <= at) take(change);
      if (revision >= at) return;
      // A gap in the log, which the indexes cannot follow either.
      if (isNear) indexes?.reset();
      clear(at);
    },
  };
  return {
    reading: (tx) => new CachedTransaction(tx, state, 'read'),
    writing: (tx) => new CachedTransaction(tx, state, 'write'),
    advance: (changes) => {
      for (const change of changes) {
        take(change);
        logEnds.commit(change.revision);
      }
    },
    get bytes() {
      return entries.calculatedSize;
    },
  };
};

/** Freezes a JSON value deeply, since callers share it. @returns its approximate bytes; counting stops above the size of an entry */
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
