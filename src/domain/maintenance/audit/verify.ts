import type { audit } from '../../../api/audit.ts';
import { change } from '../../../api/changes.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import { hashAfter } from '../../../changelog/chain.ts';
import { ChainCheck, type RecordFault } from '../../../changelog/chain-check.ts';
import { changeId } from '../../../changelog/events.ts';
import { averageBytes, extentOf } from '../../../changelog/log.ts';
import { endOfLog, recordsFrom } from '../../../changelog/queries.ts';
import { yieldToEventLoop } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { monotonic } from '../../../platform/clock.ts';
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
  const start = check.last === undefined ? from : check.last + 1;
  if (check.last === undefined) await assertInLog(entities, from);
  const rows = await readable(entities, start, limit);
  if ('fault' in rows) return { fault: rows, isOver: true };
  const [first] = rows;
  const [newest] = await entities.list(change, endOfLog('newest'));
  // Retention may have dropped records since the last page.
  if (first && first.version > start && (extentOf(newest)?.oldest ?? 0) > start) check.skip();
  const misindexed = await firstMisindexed(entities, start, limit);
  for (const row of rows) {
    const before = check.hash;
    const shown = check.add(row) ?? (await checkpointFault(row, before, call));
    if (shown === 'unproved') check.unproved++;
    const fault = shown === 'unproved' ? undefined : shown;
    if (fault && fault.revision <= (misindexed?.revision ?? Infinity)) return { fault, isOver: true };
    if (misindexed && row.version >= misindexed.revision) break;
  }
  if (misindexed) return { fault: misindexed, isOver: true };
  if (rows.length === limit) return { averageBytes: averageBytes(rows), isOver: false };
  return { fault: check.end(await entities.revision(), isWhole), isOver: true };
};

/** @throws ApiError `COULD_NOT_VALIDATE` for a revision beyond the end of the log, where there is nothing that could be missing */
const assertInLog = async (entities: Entities, from: number): Promise<void> => {
  const newest = await entities.revision();
  if (from > newest) throw invalidField('from', `from must be at most ${newest}, the revision of the last change, got ${from}`, from);
};

/** The records of a page, or the first one that cannot be read. */
const readable = async (entities: Entities, start: number, limit: number): Promise<readonly Row[] | RecordFault> => {
  const query = recordsFrom(start, limit);
  try {
    return await entities.list(change, query);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const newest = await entities.revision();
  for (let revision = start; revision < newest; revision++) {
    const isReadable = await entities.get(change, changeId(revision)).then(
      () => true,
      () => false,
    );
    if (!isReadable) return { revision, fault: 'changed', message: 'the record is not JSON any more' };
  }
  return { revision: newest, fault: 'changed', message: 'the record is not JSON any more' };
};

/** The first record of a page whose columns, by which the log is searched, do not say what the record says. */
const firstMisindexed = async (entities: Entities, start: number, limit: number): Promise<RecordFault | undefined> => {
  const { faults } = await entities.verify(change, { after: changeId(start - 1), limit });
  const ids = faults.flatMap(({ id }) => id ?? []).sort();
  return ids[0] === undefined
    ? undefined
    : { revision: Number(ids[0]), fault: 'changed', message: 'the indexes do not agree with the record' };
};

/** Compares the log with a head that was kept elsewhere. Once retention has dropped its record, there is nothing to compare. */
const keptHead = async (entities: Entities, revision: number, hash: string): Promise<RecordFault | undefined> => {
  const newest = await entities.revision();
  if (revision > newest)
    return { revision: newest + 1, fault: 'removed', message: `the log ends with ${newest}, and the head that was kept is ${revision}` };
  const row: Row | undefined = await entities.get(change, changeId(revision));
  if (!row) {
    const [last] = await entities.list(change, endOfLog('newest'));
    const oldest = extentOf(last)?.oldest ?? Infinity;
    return revision < oldest ? undefined : { revision, fault: 'removed', message: 'the record whose hash was kept is missing' };
  }
  if (hashAfter(row) === hash) return undefined;
  return { revision, fault: 'changed', message: 'the record, or one before it, is not the one whose hash was kept' };
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
