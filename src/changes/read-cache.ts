import { LRUCache } from 'lru-cache';
import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Transaction } from '../storage/port.ts';
import { type CachedState, rowKey } from './cached-state.ts';
import { CachedTransaction } from './cached-transaction.ts';
import { type Change, isChangedKind } from './events.ts';
import { changeOf, recordsFrom } from './log.ts';
import type { RoleIndexes } from './role-indexes.ts';
import { tableOf } from './views.ts';

/** Of everything that is kept, about. Bytes */
const MAX_BYTES = 16 * 1024 * 1024;
/** A larger row or answer is read each time: it would displace many that nearly every call needs. Bytes, about */
const MAX_ENTRY_BYTES = 64 * 1024;
/** Changes that are read to catch up; after more, the cache begins anew. */
const MAX_BEHIND = 200;

const allKinds: readonly Kind[] = Object.values(kinds);
const tables: ReadonlyMap<string, string> = new Map(allKinds.map((kind) => [kind.kind, tableOf(kind)]));
const isRecorded = ({ kind, fields }: Kind): boolean => isChangedKind(kind) && Object.values(fields).every(({ volatile }) => !volatile);

/** The tables whose every write draws a revision, and leaves a change record. */
const recordedTables: ReadonlySet<string> = new Set(
  allKinds.map(tableOf).filter((table) => allKinds.every((kind) => tableOf(kind) !== table || isRecorded(kind))),
);

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
}

interface Entry {
  readonly value: unknown;
  /** A revision since which it is true. */
  readonly since: number;
  readonly bytes: number;
}

/** @param indexes of attributes, which follow the same changes. Default: the store answers what they would */
export const createReadCache = (indexes?: RoleIndexes): ReadCache => {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_ENTRY_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });
  /** By table, the revision of its last change since the cache began. */
  const changed = new Map<string, number>();
  let [begun, revision] = [-1, -1];

  const beginAnew = (at: number) => {
    entries.clear();
    changed.clear();
    begun = revision = at;
  };
  const apply = ({ revision: at, entity, entityId }: Change) => {
    const table = tables.get(entity) ?? entity;
    entries.delete(rowKey(table, entityId));
    changed.set(table, at);
    revision = at;
  };
  const take = (change: Change) => {
    if (change.revision === revision + 1) apply(change);
    indexes?.apply(change);
  };
  const state: CachedState = {
    isCached: (table) => recordedTables.has(table),
    find: (key, at) => {
      const entry = entries.get(key);
      return entry && entry.since <= at ? entry.value : undefined;
    },
    keep: (key, value, at, since) => {
      if (at === revision) entries.set(key, { value, since, bytes: key.length + freeze(value) });
    },
    changedAt: (table) => changed.get(table) ?? begun,
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
      // Another transaction may have caught up meanwhile.
      for (const change of records.map(changeOf)) take(change);
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
      for (const change of changes) take(change);
    },
  };
};

/** Freezes a JSON value deeply: callers share it. @returns its bytes in memory, about */
const freeze = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  Object.freeze(value);
  return Object.values(value).reduce<number>((sum, each) => sum + freeze(each), 64);
};
