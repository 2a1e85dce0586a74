import type { audit } from '../../../api/audit.ts';
import { change } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { hashAfter } from '../../../changelog/chain.ts';
import { ChainCheck, type RecordFault } from '../../../changelog/chain-check.ts';
import { changeId } from '../../../changelog/events.ts';
import { averageBytes, extentOf } from '../../../changelog/log.ts';
import { endOfLog } from '../../../changelog/queries.ts';
import type { Extent, Reserve } from '../../../changelog/trim.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { monotonic } from '../../../platform/clock.ts';
import { ALL, and, idAfter, stringField } from '../../../query/index.ts';
import type { Row } from '../../../storage/port.ts';
import { streamedPage } from '../changes/page.ts';
import { checkpointFault } from './checkpoints.ts';

type Operation = typeof audit.operations.verify;
type Verification = OutputOf<Operation>;

/** Verifies the hash chain of the log, page by page, and stops at the first fault. */
export const verifyAudit = async (call: Call, { from, revision, hash }: DecodedOf<Operation>): Promise<Verification> => {
  if ((revision === undefined) !== (hash === undefined))
    throw invalidField('hash', 'revision and hash of a kept head must be given together', hash ?? revision);
  const { clock } = call.core.platform;
  // Half of the time remains for the page that is being read, and for the answer.
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
    revision !== undefined && hash !== undefined ? await call.read((entities) => keptHead(entities, revision, hash)) : undefined;
  return verificationOf(check, missing);
};

interface Step {
  /** Of a record of the page, if known. */
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
  // Ids of another form than that of revisions may come before all of those.
  const after = isFirst && isWhole ? undefined : changeId(start - 1);
  const unreadable = await firstMisindexed(entities, after, limit);
  const beyond = unreadable && ({ op: 'compare', field: stringField('id'), is: '<', value: unreadable.id } as const);
  const rows = await entities.list(change, { where: and(idAfter(after), beyond ?? ALL), limit });
  const [first] = rows;
  // Retention may have dropped records since the last page.
  const extent = await extentAtEnd(entities);
  const reserve = extent && (extent.reserve ?? (await remainsOf(entities, extent)));
  if (first && first.version > start && (extent?.oldest ?? 0) > start && !reserve) check.skip();
  check.see(reserve, start);
  for (const row of rows) {
    const shown = check.add(row) ?? (await checkpointFault(row, call));
    if (shown === 'unproved') check.unproved++;
    else if (shown) return { fault: shown, isOver: true };
  }
  if (unreadable) return { fault: check.addUnreadable(unreadable.id), isOver: true };
  if (rows.length === limit) return { averageBytes: averageBytes(rows), isOver: false };
  return { fault: check.end(await entities.revision(), isWhole), isOver: true };
};

/** @throws ApiError `COULD_NOT_VALIDATE` for a revision beyond the end of the log, where there is nothing that could be missing */
const assertInLog = async (entities: Entities, from: number): Promise<void> => {
  const newest = await entities.revision();
  if (from > newest) throw invalidField('from', `from must be at most ${newest}, the revision of the last change, got ${from}`, from);
};

/** The first record of a page that cannot be read, or whose columns, by which the log is searched, do not say what the record says. */
const firstMisindexed = async (entities: Entities, after: string | undefined, limit: number): Promise<Pick<Row, 'id'> | undefined> => {
  const { faults } = await entities.verify(change, { ...(after === undefined ? {} : { after }), limit });
  const [id] = faults.flatMap((fault) => fault.id ?? []).sort();
  return id === undefined ? undefined : { id };
};

/** The extent of the log, as its last record says; undefined if that says none. */
const extentAtEnd = async (entities: Entities): Promise<Extent | undefined> =>
  extentOf((await ifReadable(entities.list(change, endOfLog('newest'))))?.[0]);

/** The records that were reserved until an earlier release wrote the last one, which says nothing of them. */
const remainsOf = async (entities: Entities, { others, oldest }: Extent): Promise<Reserve | undefined> => {
  if (others !== undefined) return undefined;
  const first = (await ifReadable(entities.list(change, endOfLog('oldest'))))?.[0];
  if (first?.isReserved !== true) return undefined;
  return { first: first.version, since: first.createdAt, passed: oldest, count: 0, bytes: 0, base: '', head: '' };
};

/** Compares the log with a head that was kept elsewhere. */
const keptHead = async (entities: Entities, revision: number, hash: string): Promise<RecordFault | undefined> => {
  const newest = await entities.revision();
  if (revision > newest)
    return { revision: newest + 1, fault: 'removed', message: `the log ends with ${newest}, and the head that was kept is ${revision}` };
  const row: Row | undefined = await ifReadable(entities.get(change, changeId(revision)));
  if (row && hashAfter(row) === hash) return undefined;
  if (row) return { revision, fault: 'changed', message: 'the record, or one before it, is not the one whose hash was kept' };
  const oldest = (await extentAtEnd(entities))?.oldest ?? 0;
  return {
    revision,
    fault: 'removed',
    message:
      revision < oldest
        ? `the record whose hash was kept is not in the log, which begins with ${oldest}: keep a later head before retention drops a record`
        : 'the record whose hash was kept is missing',
  };
};

/** Undefined if what was read is not JSON. */
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
