import type { Core } from '../../call/core.ts';
import { journalEntry } from '../../contract/api/journal.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { lease } from '../../contract/api/leases.ts';
import { SPANS, type Span, usageSum } from '../../contract/api/usage.ts';
import { ALL, and, type Predicate, stringField } from '../../query/index.ts';
import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { DAY, HOUR, isoTime } from '../../runtime/platform/clock.ts';
import type { Job } from '../../store/jobs/background.ts';
import { leasesBelow } from '../../store/jobs/lease.ts';
import { type Run, schedule } from '../../store/jobs/schedule.ts';
import { periodBegin, quotaPrefix } from './quota-counts.ts';
import { MARK_PREFIX, timeOfMark } from './report-marks.ts';
import { sumPrefix } from './usage-sums.ts';

/** Days for which sums are kept: minutes for details, days for comparisons with the year before. */
const SPAN_DAYS: Readonly<Record<Span, number>> = { minute: 1, hour: 31, day: 731 };
/** Days after which the mark of a router that no longer reports is dropped. No report is accepted that late. */
const MARK_DAYS = 7;
/** Number of rows that are dropped per transaction. */
const BATCH = 100;

const id = stringField('id');
const before = (end: string): Predicate => ({ op: 'compare', field: id, is: '<', value: end });

/** Schedules the removal of old entries and sums, four times a day. What new ones push out is removed after their batch. */
export const dropOldUsage = ({ background, platform, settings }: Pick<Core, 'background' | 'platform' | 'settings'>): void => {
  if (settings.journalKept === 0) return;
  schedule(background, platform, { name: 'journal-retention', every: 6 * HOUR, by: 'one' }, async (run) => {
    await dropOld(run, { platform, settings });
    await dropQuotas(run, platform.clock.now());
    await dropMarks(run, platform.clock.now() - MARK_DAYS * DAY);
  });
};

/** Drops entries and sums that are too old, or too many. */
export const dropOld = async (run: Pick<Run, 'read' | 'write' | 'signal'>, { platform, settings }: Pick<Core, 'platform' | 'settings'>) => {
  const { journalKept, journalKeptForDays, usageKept } = settings;
  const daysAgo = (days: number) => isoTime(platform.clock.now() - days * DAY);
  await dropBeyond(run, journalEntry, ALL, { kept: journalKept, since: journalKeptForDays > 0 ? daysAgo(journalKeptForDays) : '' });
  for (const span of SPANS) {
    const prefix = sumPrefix(span);
    await dropBeyond(run, usageSum, leasesBelow(prefix), { kept: usageKept, since: `${prefix}${daysAgo(SPAN_DAYS[span])}` });
  }
};

/** @param since the first id that is kept */
const dropBeyond = async (
  { read, write, signal }: Pick<Job, 'read' | 'write' | 'signal'>,
  kind: typeof journalEntry | typeof usageSum | typeof lease,
  within: Predicate,
  { kept, since }: { readonly kept: number; readonly since: string },
): Promise<void> => {
  let surplus = await read((entities) => entities.count(kind, within)).then((count) => Math.max(0, count - kept));
  while (!signal.aborted) {
    const where = surplus > 0 ? within : and(within, before(since));
    const limit = surplus > 0 ? Math.min(surplus, BATCH) : BATCH;
    const rows = await read((entities) => entities.list<Kind>(kind, { where, sort: [{ field: id, descending: false }], limit }));
    if (rows.length === 0) return;
    await write(async (entities) => {
      for (const row of rows) await entities.remove<Kind>(kind, row);
    });
    surplus -= rows.length;
    await yieldToEventLoop();
  }
};

/** Drops sums of quotas whose period is over. */
const dropQuotas = async (run: Run, now: number): Promise<void> => {
  for (const period of ['day', 'month'] as const)
    await dropBeyond(run, lease, leasesBelow(quotaPrefix(period)), {
      kept: Number.MAX_SAFE_INTEGER,
      since: quotaPrefix(period, periodBegin(period, now)),
    });
};

/** Drops the marks of routers that no longer report. */
const dropMarks = async ({ read, write }: Run, since: number): Promise<void> => {
  const rows = await read((entities) => entities.list(lease, { where: leasesBelow(MARK_PREFIX) }));
  const old = rows.filter(({ told }) => timeOfMark(told) < since).slice(0, BATCH);
  if (old.length > 0)
    await write(async (entities) => {
      for (const row of old) await entities.remove(lease, row);
    });
};
