import type { Call } from '../../call/call.ts';
import type { audit } from '../../contract/api/audit.ts';
import { change } from '../../contract/api/changes.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { changeId } from '../../contract/changes/events.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { ALL, and, idAfter, stringField } from '../../query/index.ts';
import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { monotonic } from '../../runtime/platform/clock.ts';
import { hashAfter } from '../../store/changelog/chain.ts';
import { ChainCheck, type RecordFault } from '../../store/changelog/chain-check.ts';
import { averageBytes, extentOf } from '../../store/changelog/log.ts';
import { endOfLog } from '../../store/changelog/queries.ts';
import type { Extent, Reserve } from '../../store/changelog/trim.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { streamedPage } from '../changes/page.ts';
import { checkpointFault } from './checkpoints.ts';

type Operation = typeof audit.operations.verify;
type Verification = OutputOf<Operation>;

/** Verifies the hash chain of the log, page by page, and stops at the first fault. */
export const verifyAudit = async (call: Call, { from, revision, hash }: DecodedOf<Operation>): Promise<Verification> => {
  if ((revision === undefined) !== (hash === undefined))
    throw invalidField('hash', 'revision and hash of a stored head must be given together', hash ?? revision);
  const { clock } = call.core.platform;
  // The other half of the time is for the current page and for the answer.
  const until = call.timeLimit === undefined ? Infinity : monotonic(clock) + call.timeLimit / 2;
  const check = new ChainCheck();
  const started = { from: from ?? 0, isWhole: from === undefined };
  for (let bytes: number | undefined; ; ) {
    call.signal.throwIfAborted();
    const limit = streamedPage(bytes);
    const step = await call.read((entities) => verifyPage(entities, check, { ...started, limit }, call));
    bytes = step.averageBytes ?? bytes;
    if (step.fault) return verificationOf(check, step.fault);
    if (step.isOver) break;
    if (monotonic(clock) > until) return { ...verificationOf(check), next: check.last ?? null };
    await yieldToEventLoop();
  }
  const missing =
    revision !== undefined && hash !== undefined ? await call.read((entities) => compareHead(entities, revision, hash)) : undefined;
  return verificationOf(check, missing);
};

interface Step {
  /** The average size of a record of the page, if known. */
  readonly averageBytes?: number | undefined;
  readonly fault?: RecordFault | undefined;
  readonly isOver: boolean;
}

const verifyPage = async (
  entities: Entities,
  check: ChainCheck,
  { from, isWhole, limit }: { readonly from: number; readonly isWhole: boolean; readonly limit: number },
  call: Call,
): Promise<Step> => {
  const isFirst = check.last === undefined;
  const start = check.last === undefined ? from : check.last + 1;
  if (isFirst) await assertInLog(entities, from);
  // Ids in another form than revisions may sort before all of them.
  const after = isFirst && isWhole ? undefined : changeId(start - 1);
  const unreadable = await firstMisindexed(entities, after, limit);
  const beyond = unreadable && ({ op: 'compare', field: stringField('id'), is: '<', value: unreadable.id } as const);
  const rows = await entities.list(change, { where: and(idAfter(after), beyond ?? ALL), limit });
  const [first] = rows;
  // Retention may have dropped records since the last page.
  const extent = await extentAtEnd(entities);
  const reserve = extent && (extent.reserve ?? (await reserveBefore(entities, extent)));
  if (first && first.version > start && (extent?.oldest ?? 0) > start && !reserve) check.skip();
  check.setReserve(reserve, start);
  for (const row of rows) {
    const shown = check.add(row) ?? (await checkpointFault(row, call));
    if (shown === 'unproved') check.unproved++;
    else if (shown) return { fault: shown, isOver: true };
  }
  if (unreadable) return { fault: check.addUnreadable(unreadable.id), isOver: true };
  if (rows.length === limit) return { averageBytes: averageBytes(rows), isOver: false };
  return { fault: check.end(await entities.revision(), isWhole), isOver: true };
};

/** @throws ApiError `COULD_NOT_VALIDATE` for a revision after the end of the log, where no record can be missing */
const assertInLog = async (entities: Entities, from: number): Promise<void> => {
  const newest = await entities.revision();
  if (from > newest) throw invalidField('from', `from must be at most ${newest}, the revision of the last change, got ${from}`, from);
};

/** The first record of a page that cannot be read, or whose indexed columns differ from its content. */
const firstMisindexed = async (entities: Entities, after: string | undefined, limit: number): Promise<Pick<Row, 'id'> | undefined> => {
  const { faults } = await entities.verify(change, { ...(after === undefined ? {} : { after }), limit });
  const [id] = faults.flatMap((fault) => fault.id ?? []).sort();
  return id === undefined ? undefined : { id };
};

/** The extent of the log, as its last record contains it; undefined if it contains none. */
const extentAtEnd = async (entities: Entities): Promise<Extent | undefined> =>
  extentOf((await ifReadable(entities.list(change, endOfLog('newest'))))?.[0]);

/** The records that were reserved before an earlier release, which does not record them, wrote the last record. */
const reserveBefore = async (entities: Entities, { others, oldest }: Extent): Promise<Reserve | undefined> => {
  if (others !== undefined) return undefined;
  const first = (await ifReadable(entities.list(change, endOfLog('oldest'))))?.[0];
  if (first?.isReserved !== true) return undefined;
  return { first: first.version, since: first.createdAt, passed: oldest, count: 0, bytes: 0, base: '', head: '' };
};

/** Compares the log with a head that the caller has stored. */
const compareHead = async (entities: Entities, revision: number, hash: string): Promise<RecordFault | undefined> => {
  const newest = await entities.revision();
  if (revision > newest)
    return { revision: newest + 1, fault: 'removed', message: `the log ends with ${newest}, but the stored head has revision ${revision}` };
  const row: Row | undefined = await ifReadable(entities.get(change, changeId(revision)));
  if (row && hashAfter(row) === hash) return undefined;
  if (row)
    return {
      revision,
      fault: 'changed',
      message: 'the hash of the record differs from the stored head: the record, or one before it, was changed',
    };
  const oldest = (await extentAtEnd(entities))?.oldest ?? 0;
  return {
    revision,
    fault: 'removed',
    message:
      revision < oldest
        ? `the record of the stored head has left the log, which begins with ${oldest}: store a later head before retention drops its record`
        : 'the record of the stored head is missing',
  };
};

/** @returns undefined if the stored value is missing or not JSON */
const ifReadable = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return (await read) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const verificationOf = ({ records, unhashed, unproved, first, last, chainedFrom }: ChainCheck, fault?: RecordFault): Verification => ({
  isIntact: fault === undefined,
  fault: fault ?? null,
  records,
  unhashed,
  unproved,
  oldest: first ?? null,
  newest: last ?? null,
  chainedFrom: chainedFrom ?? null,
  next: null,
});
