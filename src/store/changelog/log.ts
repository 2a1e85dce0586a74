import type { ORIGINS } from '../../contract/api/changes.ts';
import { kinds } from '../../contract/api/index.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { type Change, changeId } from '../../contract/changes/events.ts';
import { DAY, isoTime } from '../../runtime/platform/clock.ts';
import type { Row, Transaction } from '../storage/port.ts';
import { chainHash, contentBytes, hashAfter } from './chain.ts';
import { differingFields } from './differences.ts';
import type { LogEnd, LogEnds } from './log-ends.ts';
import { dropRemains, type Extent, type SizeLimits, trimLog } from './trim.ts';
import { visibleFields } from './visible.ts';

/** The limits of the change log. */
export interface LogLimits extends SizeLimits {
  /** Age in days at which a checkpoint of the log drops records. 0 to keep them. Default: 0. */
  readonly changesKeptForDays?: number;
  /**
   * For a transaction that begins the log and writes more records than the log keeps: the revision of the first record that is certainly
   * kept. Earlier records are not written, because they would be dropped again. Default: 1.
   */
  readonly firstKept?: number;
}

/** The origin of a change. */
export interface Provenance {
  readonly origin: (typeof ORIGINS)[number];
  /** The name of the operation in the API, e.g. `identities.patch`; null for work of the controller itself. */
  readonly operation: string | null;
  /** The address of the client; null for a call in process. */
  readonly address: string | null;
  /** True for changes by administrators, holders of permissions and the host, and for refused attempts. See `trim.ts`. */
  readonly isReserved?: true;
}

/** The provenance of work of the controller itself. */
export const BY_SYSTEM: Provenance = Object.freeze({ origin: 'system', operation: null, address: null });

/**
 * The attribution of the writes of an adoption. Its first record may be the first one of a log with any revision, see
 * `LogLimits.firstKept`.
 */
export const ADOPTION = Object.freeze({ actor: 'system', requestId: 'adopt' });

/** The attribution of changes that take ended grants out of effect, and of those that announce an end. */
export const EXPIRED = { actor: 'system', requestId: 'grants', reason: 'expired' } as const;
export const EXPIRING = { ...EXPIRED, reason: 'expiring' } as const;

/** Appends a record to the log, and drops the oldest records in excess of the limits. */
export type AppendChange = (change: Change, provenance: Provenance) => Promise<void>;

/** The log within one transaction. Reads the previous record only for the first append, and only if `ends` does not remember it. */
export const changeLog = (tx: Transaction, limits: LogLimits, ends?: LogEnds): AppendChange => {
  let last: { readonly revision: number; readonly end: LogEnd } | undefined;
  return async (change, provenance) => {
    if (change.revision < (limits.firstKept ?? 1)) return;
    const previous = change.revision - 1;
    const remembered = last?.revision === previous ? last.end : ends?.at(previous, tx.uncommitted?.since);
    const record = { ...change, ...provenance, changedFields: changedFields(change) };
    const end = await append(tx, record, remembered ?? endAfter(await tx.get(kinds.change.kind, changeId(previous))), limits);
    last = { revision: change.revision, end };
    ends?.append(change.revision, end);
  };
};

/** The end of a log with this last record; undefined for an empty log. */
const endAfter = (row: Row | undefined): LogEnd | undefined => row && { extent: extentOf(row), hash: hashAfter(row) };

const append = async (tx: Transaction, change: Change & Provenance, before: LogEnd | undefined, limits: LogLimits): Promise<LogEnd> => {
  const { at, ...fields } = change;
  const { revision } = change;
  const record = { createdAt: at, updatedAt: at, tags: {}, tokenId: null, ...fields };
  const content = contentBytes(record);
  const endsAt = (before?.extent?.endsAt ?? 0) + content.length;
  // During a rolling upgrade, an earlier release may have written the last record.
  const hasNoRemains = !before?.extent || before.extent.others !== undefined || (await dropRemains(tx, before.extent));
  const lastOther = change.isReserved ? (before?.extent?.others ?? revision - 1) : revision;
  const others = hasNoRemains ? lastOther : undefined;
  const untrimmed: Extent = { oldest: revision, oldestBeginsAt: 0, ...before?.extent, endsAt, ...(others !== undefined && { others }) };
  const surplus = revision - limits.changesKept;
  // Records of earlier releases store no extent. They are dropped one by one, by revision.
  if (surplus >= (limits.firstKept ?? 1) && surplus < untrimmed.oldest && !untrimmed.reserve)
    await tx.delete(kinds.change.kind, changeId(surplus));
  const days = change.entity === kinds.logCheckpoint.kind ? limits.changesKeptForDays : 0;
  const keptSince = days ? isoTime(Date.parse(at) - days * DAY) : '';
  const extent = await trimLog(tx, { extent: untrimmed, revision, at, limits, keptSince });
  const link = { ...extent, previousHash: before?.hash ?? null };
  const hash = chainHash(content, link);
  await tx.insert(kinds.change.kind, { id: changeId(revision), version: revision, ...record, ...link, hash });
  return { extent, hash };
};

/** The names of the fields that a change has set, changed or removed, with a comma before and after each. */
const changedFields = ({ before, after }: Pick<Change, 'before' | 'after'>): string => {
  const names = differingFields(before ?? {}, after ?? {});
  return names.length === 0 ? '' : `,${names.join()},`;
};

/** The change that a row of the log records. */
export const changeOf = (row: Row): Change => {
  const { revision, action, entity, entityId, actor, requestId, createdAt, before, after, ...others } = withoutCredentials(row);
  // Records of earlier releases lack these fields.
  const { onBehalfOf = null, reason = null, tokenId, overriddenTests } = others;
  // `Entities` writes records in this shape.
  return {
    revision,
    action,
    entity,
    entityId,
    actor,
    requestId,
    onBehalfOf,
    reason,
    ...(tokenId == null ? {} : { tokenId }),
    ...(overriddenTests ? { overriddenTests } : {}),
    at: createdAt,
    before,
    after,
  } as Change;
};

const kindsWithCredentials: ReadonlyMap<unknown, Kind> = new Map(
  Object.values<Kind>(kinds).flatMap((kind) =>
    Object.values(kind.fields).some(({ credential }) => credential) ? [[kind.kind, kind]] : [],
  ),
);

/** A row of the log without credentials, which records of earlier releases may contain. */
export const withoutCredentials = (row: Row): Row => {
  const kind = kindsWithCredentials.get(row.entity);
  if (!kind) return row;
  const redacted = (entity: unknown) => entity && visibleFields(kind, entity as Row); // `Entities` writes rows of the kind
  return { ...row, before: redacted(row.before), after: redacted(row.after) };
};

/** The extent stored in a record; undefined for records of earlier releases. */
export const extentOf = (row: Row | undefined): Extent | undefined => {
  if (typeof row?.endsAt !== 'number') return undefined;
  const { endsAt, oldest, oldestBeginsAt, others, reserve } = row as Row & Extent; // `append` has written them
  return {
    endsAt,
    oldest: Number(oldest),
    oldestBeginsAt: Number(oldestBeginsAt),
    ...(others !== undefined && { others }),
    ...(reserve && { reserve }),
  };
};

/** Average bytes per record of consecutive records; undefined if it cannot be computed from the extents that they store. */
export const averageBytes = (records: readonly Row[]): number | undefined => {
  const [first, last] = [extentOf(records[0]), extentOf(records.at(-1))];
  return first && last && records.length > 1 ? (last.endsAt - first.endsAt) / (records.length - 1) : undefined;
};
