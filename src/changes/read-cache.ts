import { LRUCache } from 'lru-cache';
import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Transaction } from '../storage/port.ts';
import { type CachedState, rowKey } from './cached-state.ts';
import { CachedTransaction } from './cached-transaction.ts';
import { Doorkeeper } from './doorkeeper.ts';
import type { Change } from './events.ts';
import { changeOf, type Extent, recordsFrom } from './log.ts';
import { LogEnds } from './log-ends.ts';
import type { Dependencies } from './question.ts';
import { recordedTable } from './recorded-tables.ts';
import type { RoleIndexes } from './role-indexes.ts';
import { partBy, type TablePart } from './table-part.ts';
import { tableOf } from './views.ts';

/** A larger row or answer is read each time: it would displace many that nearly every call needs. Bytes, about */
const MAX_ENTRY_BYTES = 64 * 1024;
/** Of the size, up to which everything is kept; beyond it, of pages that which is asked for again. */
const FILLED = 0.75;
/** Rows that are noted as asked for, at most. */
const MOST_NOTED = 1_000_000;
/** What is remembered of a row as it is shown, about. */
const TEXT_BYTES = 2048;
/** Changes that are read to catch up; after more, the cache begins anew. */
const MAX_BEHIND = 200;
/** Parts of tables whose last change is known; when there are more, all count as changed. */
const MOST_PARTS = 10_000;

const allKinds: readonly Kind[] = Object.values(kinds);
const tables: ReadonlyMap<string, string> = new Map(allKinds.map((kind) => [kind.kind, tableOf(kind)]));

/**
 * What was read before, for as long as it is true: identities, policies and types, which nearly every call needs. Each transaction reads the revision of
 * its state, and the change log says what has changed up to there: nothing outdated is ever served, even if another controller made the change.
 */
export interface ReadCache {
  /** A transaction that only reads. */
  reading(tx: Transaction): CachedTransaction;
  /** A transaction that may write. */
  writing(tx: Transaction): CachedTransaction;
  /** Changes that this controller has committed: the log need not be read for them. */
  advance(changes: readonly Change[]): void;
  /** Of all that is kept, about. */
  readonly bytes: number;
}

const UNTIL_DROPPED: Dependencies = Object.freeze([]);

interface Entry {
  readonly value: unknown;
  /** The last change of what it depends on before it was read: since then it is true. */
  readonly since: number;
  /** What ends it by its next change. Of a row nothing: it is dropped with its own. */
  readonly dependsOn: Dependencies;
  /** The latest revision at which it was found to be true. */
  trueAt: number;
  readonly bytes: number;
}

/**
 * @param maxBytes of all that is kept, about
 * @param indexes of attributes, which follow the same changes. Default: the store answers what they would
 */
export const createReadCache = (maxBytes: number, indexes?: RoleIndexes): ReadCache => {
  // The size of such a cache is a whole number, and 0 would be no limit.
  const maxSize = Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.floor(maxBytes)));
  const entries = new LRUCache<string, Entry>({
    maxSize,
    maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxSize),
    sizeCalculation: ({ bytes }) => bytes,
  });
  const doorkeeper = new Doorkeeper(Math.min(MOST_NOTED, maxSize / TEXT_BYTES));
  /** By table and by part of one, the revision of its last change. */
  const changed = new Map<string, number>();
  const logEnds = new LogEnds<Extent>();
  /** Of what is not among them, that of the last change at most. */
  let [begun, revision] = [-1, -1];

  const beginAnew = (at: number) => {
    entries.clear();
    changed.clear();
    logEnds.forget();
    begun = revision = at;
  };
  const note = (part: TablePart, at: number) => {
    if (changed.size >= MOST_PARTS) {
      changed.clear();
      begun = at;
    }
    changed.set(part, at);
  };
  const apply = ({ revision: at, entity, entityId, before, after }: Change) => {
    const table = tables.get(entity) ?? entity;
    entries.delete(rowKey(table, entityId));
    note(table, at);
    note(partBy(table, 'id', entityId), at);
    for (const field of recordedTable(table)?.references ?? [])
      for (const row of [before, after]) if (row) note(partBy(table, field, (row as Readonly<Record<string, unknown>>)[field]), at); // a field of its kind
    revision = at;
  };
  const take = (change: Change) => {
    if (change.revision === revision + 1) apply(change);
    indexes?.apply(change);
  };
  const changedAt = (part: TablePart): number => changed.get(part) ?? begun;
  const isTrue = (entry: Entry): boolean => {
    if (entry.trueAt === revision) return true;
    if (!entry.dependsOn.every((part) => changedAt(part) <= entry.since)) return false;
    entry.trueAt = revision;
    return true;
  };
  const put = (key: string, value: unknown, dependsOn: Dependencies, since: number) =>
    entries.set(key, { value, since, dependsOn, trueAt: revision, bytes: key.length + freeze(value) + freeze(dependsOn) });
  const state: CachedState = {
    logEnds,
    find: (key, at) => {
      const entry = entries.get(key);
      if (!entry || entry.since > at) return undefined;
      if (isTrue(entry)) return entry.value;
      entries.delete(key);
      return undefined;
    },
    keep: (key, value, at, dependsOn) => {
      if (at === revision) put(key, value, dependsOn, Math.max(0, ...dependsOn.map(changedAt)));
    },
    keepRow: (table, row, at) => {
      if (at === revision) put(rowKey(table, row.id), row, UNTIL_DROPPED, row.version);
    },
    isWorthKeeping: (ids) => {
      const again = ids.filter((id) => doorkeeper.note(id)).length;
      return again * 2 > ids.length || entries.calculatedSize < maxSize * FILLED;
    },
    get revision() {
      return revision;
    },
    indexed: async (tx, table, query, at) => indexes?.find(tx, table, query, at),
    catchUp: async (tx, at, known) => {
      if (at < known) {
        indexes?.beginAnew();
        return beginAnew(at);
      }
      if (at <= revision) return;
      const isNear = revision >= 0 && at - revision <= MAX_BEHIND;
      const records = isNear ? await tx.list(kinds.change.kind, recordsFrom(revision + 1, MAX_BEHIND)) : [];
      // Another transaction may have caught up meanwhile. Of those that share a commit, one sees what the others have not committed.
      for (const change of records.map(changeOf)) if (change.revision <= at) take(change);
      if (revision >= at) return;
      // A gap in the log: nobody else can follow it, either.
      if (isNear) indexes?.beginAnew();
      beginAnew(at);
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

/** Freezes a JSON value deeply: callers share it. @returns its bytes in memory, about; of one that is too large for an entry, some more than an entry may have */
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
