import { kinds } from '../api/index.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Row, Transaction } from '../storage/port.ts';
import { type Change, changeId } from './events.ts';
import type { LogEnds } from './log-ends.ts';
import { visibleFields } from './visible.ts';

/** How much of the change log is kept. Older records are dropped as new ones come. */
export interface LogLimits {
  readonly changesKept: number;
  /** Bytes of the records as JSON. The last record is always kept. */
  readonly changeBytesKept: number;
}

/** Maximum number of records dropped with each new one, so that a large record or a lowered limit does not delay a write for long. */
const MAX_DROPPED = 100;

/**
 * The extent of the log, kept in each record, so that nothing has to be counted: the record before a new one says where to continue, whichever
 * controller wrote it.
 */
export interface Extent {
  /** Bytes of all records ever, up to and with this one. */
  readonly endsAt: number;
  /** Revision of the oldest record that is kept. */
  readonly oldest: number;
  /** Where that one begins, as `endsAt` counts. */
  readonly oldestBeginsAt: number;
}

/** Appends a record to the log and drops the oldest ones that are too many. */
export type AppendChange = (change: Change) => Promise<void>;

/** The log within one transaction, which reads the record before its first one, unless it is known, and remembers how far the log reaches from there on. */
export const changeLog = (tx: Transaction, limits: LogLimits, ends?: LogEnds<Extent>): AppendChange => {
  let last: { readonly revision: number; readonly extent: Extent } | undefined;
  return async (change) => {
    const before = change.revision - 1;
    const known = last?.revision === before ? last.extent : ends?.at(before, tx.uncommitted?.since);
    const extent = await append(tx, change, known ?? extentOf(await tx.get(kinds.change.kind, changeId(before))), limits);
    last = { revision: change.revision, extent };
    ends?.note(change.revision, extent);
  };
};

const append = async (tx: Transaction, change: Change, before: Extent | undefined, limits: LogLimits): Promise<Extent> => {
  const { at, ...fields } = change;
  const { revision } = change;
  // Records of earlier versions tell no extent: they are dropped by their number.
  const endsAt = (before?.endsAt ?? 0) + sizeOf(change);
  const untrimmed = { oldest: revision, oldestBeginsAt: 0, ...before, endsAt };
  const surplus = revision - limits.changesKept;
  if (surplus > 0 && surplus < untrimmed.oldest) await tx.delete(kinds.change.kind, changeId(surplus));
  const extent = await trimmed(tx, untrimmed, revision, limits);
  await tx.insert(kinds.change.kind, {
    id: changeId(revision),
    version: revision,
    createdAt: at,
    updatedAt: at,
    tags: {},
    ...fields,
    ...extent,
  });
  return extent;
};

const trimmed = async (tx: Transaction, extent: Extent, revision: number, { changesKept, changeBytesKept }: LogLimits): Promise<Extent> => {
  let { oldest, oldestBeginsAt } = extent;
  const isTooMuch = () => revision - oldest >= changesKept || extent.endsAt - oldestBeginsAt > changeBytesKept;
  for (let dropped = 0; oldest < revision && isTooMuch() && dropped < MAX_DROPPED; dropped++) {
    oldestBeginsAt = extentOf(await tx.get(kinds.change.kind, changeId(oldest)))?.endsAt ?? oldestBeginsAt;
    await tx.delete(kinds.change.kind, changeId(oldest));
    oldest++;
  }
  return { ...extent, oldest, oldestBeginsAt };
};

/** A row of the log as the change that it records. */
export const changeOf = (row: Row): Change => {
  const { revision, action, entity, entityId, actor, requestId, createdAt, before, after, ...more } = withShownRows(row);
  // Records of earlier versions have neither.
  const { onBehalfOf = null, reason = null } = more;
  return { revision, action, entity, entityId, actor, requestId, onBehalfOf, reason, at: createdAt, before, after } as Change; // written by `Entities` in this shape
};

const withCredentials: ReadonlyMap<unknown, Kind> = new Map(
  Object.values<Kind>(kinds).flatMap((kind) =>
    Object.values(kind.fields).some(({ credential }) => credential) ? [[kind.kind, kind]] : [],
  ),
);

/** A row of the log without credentials, which records of earlier versions hold. */
export const withShownRows = (row: Row): Row => {
  const kind = withCredentials.get(row.entity);
  if (!kind) return row;
  const shown = (of: unknown) => of && visibleFields(kind, of as Row); // an entity of the kind, as `Entities` wrote it
  return { ...row, before: shown(row.before), after: shown(row.after) };
};

/** The extent stored in a record; undefined for records of earlier versions. */
export const extentOf = (row: Row | undefined): Extent | undefined =>
  typeof row?.endsAt === 'number'
    ? { endsAt: row.endsAt, oldest: Number(row.oldest), oldestBeginsAt: Number(row.oldestBeginsAt) }
    : undefined;

/** Average bytes per record of consecutive records; undefined if they do not store it. */
export const averageBytes = (records: readonly Row[]): number | undefined => {
  const [first, last] = [extentOf(records[0]), extentOf(records.at(-1))];
  return first && last && records.length > 1 ? (last.endsAt - first.endsAt) / (records.length - 1) : undefined;
};

const utf8 = new TextEncoder();
const sizeOf = (change: Change): number => utf8.encode(JSON.stringify(change)).length;
