/**
 * The journal of circuits and failed dials, and the usage that routers report. Both are collected in memory, and written in batches: an
 * entry when its circuit has ended and its bytes are known, or has lasted for some minutes.
 */
import type { Core } from '../../call/core.ts';
import type { UsageQuota } from '../../call/usage-quotas.ts';
import type { ToldEvent } from '../../contract/network-events/kinds.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { isoTime, MINUTE, pause } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Job } from '../../store/jobs/background.ts';
import { forRouters } from '../registry/fabric.ts';
import { entryIdOf, entryOf, type FailedDial, failedEntryOf, type JournaledCircuit, type KeptEntry, movedTo } from './entries.ts';
import { createExceededQuotas } from './exceeded-quotas.ts';
import { readNames } from './names.ts';
import { endOrphans } from './orphans.ts';
import { dropOld } from './retention.ts';
import { type CircuitUsage, type JournalStepResult, type UsagePart, writeStep } from './write-step.ts';

/** Interval between batches. ms */
const BATCH_INTERVAL = 15_000;
/** Time for which an ended circuit waits for the last report of its router. ms */
const LAST_REPORT = 90_000;
/** Duration after which an open circuit has an entry. ms */
const LONG = 5 * MINUTE;
/** Minimum time between two removals of old entries and sums. ms */
const DROP_INTERVAL = MINUTE;
/** Maximum number of entries in memory, of failed dials that differ, and of reported intervals that are not counted yet. */
const MAX_ENTRIES = 100_000;
const MAX_FAILED = 10_000;
const MAX_INTERVALS = 200_000;
/** Number of entries and reported intervals per transaction, for which other writers wait. */
const STEP = 50;

/** The journal of one controller. */
export interface Journal {
  /** A circuit was set up by this process or an earlier one. */
  began(circuit: JournaledCircuit): void;
  moved(circuit: JournaledCircuit): void;
  ended(circuit: JournaledCircuit): void;
  failed(dial: FailedDial): void;
  /**
   * Counts usage that the router of its clients reports.
   * @param at when the report was made, in nanoseconds since 1970 by the clock of the router
   */
  used(routerId: string, at: bigint, usages: readonly CircuitUsage[]): void;
  /** The circuits of earlier processes have begun. */
  restored(): void;
}

const intervalsIn = (usages: readonly CircuitUsage[]): number => usages.reduce((sum, { intervals }) => sum + intervals.length, 0);

type Item = { readonly entry: KeptEntry } | { readonly part: UsagePart };

const routerOf = (item: Item): string => ('entry' in item ? item.entry : item.part).routerId;
const sizeOf = (item: Item): number => ('entry' in item ? 1 : intervalsIn(item.part.usages));

/** The quotas that a journal watches. */
export interface WatchedQuotas {
  readonly quotas: readonly UsageQuota[];
  /** Called after the commit. */
  exceeded(quota: ToldEvent<'quota'>): void;
}

const NO_QUOTAS: WatchedQuotas = { quotas: [], exceeded: () => undefined };

export const createJournal = (
  core: Pick<Core, 'platform' | 'background' | 'controllerId' | 'settings'>,
  { quotas, exceeded }: WatchedQuotas = NO_QUOTAS,
): Journal => {
  const { platform, controllerId } = core;
  const { clock, random } = platform;
  const isOff = core.settings.journalKept === 0;
  const log = createRepeatedLog(platform);
  const exceededQuotas = createExceededQuotas(exceeded);
  /** Entries of circuits by id, and of failed dials by what they have in common. */
  const entries = new Map<string, KeptEntry>();
  let failed = new Map<string, KeptEntry>();
  let parts: UsagePart[] = [];
  let waiting = 0;
  let job: Job | undefined;
  let writing: Promise<void> | undefined;
  let droppedAt = 0;
  const omit = (what: string) => log('warn', `${what} are missing in the journal, because there are too many`, {});

  const isDue = (entry: KeptEntry, isClosing: boolean): boolean => {
    if (!entry.isChanged || isClosing || entry.isStored) return entry.isChanged;
    const age = clock.now() - entry.changedAt;
    return entry.outcome === 'open' ? age >= LONG : entry.isReported || age >= LAST_REPORT;
  };
  const known = (circuit: JournaledCircuit): KeptEntry | undefined => entries.get(entryIdOf(circuit));
  /** The entries that a step writes, each with its state when it is written. */
  const entriesIn = (step: readonly Item[]): ReadonlyMap<KeptEntry, KeptEntry> => {
    const due = step.flatMap((item) => {
      if ('entry' in item) return item.entry;
      return item.part.usages.flatMap(({ circuit }) => known(circuit) ?? []).filter(({ isStored }) => !isStored);
    });
    return new Map(due.map((entry) => [entry, { ...entry }]));
  };
  const settle = (reported: ReadonlySet<UsagePart>, written: ReadonlyMap<KeptEntry, KeptEntry>): void => {
    parts = parts.filter((part) => !reported.has(part));
    for (const part of reported) waiting -= intervalsIn(part.usages);
    for (const [entry, { end, routers }] of written) {
      entry.isStored = true;
      entry.isChanged = entry.end !== end || entry.routers !== routers;
      if (entry.end !== null && !entry.isChanged) entries.delete(entry.id);
    }
  };
  const write = async (read: Job['read'], run: Job['write'], isClosing: boolean): Promise<void> => {
    const due = [...entries.values()].filter((entry) => isDue(entry, isClosing));
    // Entries that are not written now get their names of now.
    const unnamed = [...entries.values()].filter(({ names }) => !names);
    const nameOf = await readNames(read, [...new Set([...due, ...unnamed, ...failed.values()])], parts);
    const dials = failed;
    failed = new Map();
    const all: readonly Item[] = [...[...dials.values(), ...due].map((entry) => ({ entry })), ...parts.map((part) => ({ part }))];
    // The entries of a router are next to its reports, which they share sums with. The order of reports stays.
    const sorted = all.toSorted((one, other) => (routerOf(one) < routerOf(other) ? -1 : routerOf(one) > routerOf(other) ? 1 : 0));
    try {
      for (const step of inBatches(sorted, sizeOf, STEP)) {
        const written = entriesIn(step);
        const reported = new Set(step.flatMap((item) => ('part' in item ? item.part : [])));
        const given = { entries: [...written.values()], parts: [...reported], nameOf, quotas, now: clock.now() };
        let counted: JournalStepResult | undefined;
        const result = await run(async (entities) => (counted = await writeStep(entities, controllerId, given))).catch((error: unknown) => {
          if (counted) exceededQuotas.inDoubt(reported, counted.exceeded);
          throw error;
        });
        const { repeated } = result;
        if (repeated > 0) log('warn', 'usage that was reported again is not counted again', { circuits: repeated });
        exceededQuotas.committed(reported, result);
        settle(reported, written);
        for (const [key, entry] of dials) if (entry.isStored) dials.delete(key);
        await yieldToEventLoop();
      }
    } finally {
      for (const [key, entry] of dials) if (!failed.has(key)) failed.set(key, entry);
    }
  };
  const warn = (error: unknown) =>
    log('warn', 'the journal could not be written; it is written with the next batch', { error: String(error) });
  const writeBatches = async (currentJob: Job): Promise<void> => {
    while (entries.size + failed.size + parts.length > 0) {
      await pause(clock, BATCH_INTERVAL, currentJob.signal);
      if (currentJob.signal.aborted) break;
      await write(currentJob.read, currentJob.write, false).catch(warn);
      const isOver = entries.size + failed.size + parts.length === 0;
      if (!isOver && clock.now() - droppedAt < DROP_INTERVAL) continue;
      droppedAt = clock.now();
      await dropOld(currentJob, core).catch(warn);
    }
    writing = undefined;
  };
  const start = (): void => {
    if (job && !job.signal.aborted) writing ??= writeBatches(job);
  };
  if (!isOff)
    forRouters(core, async (currentJob) => {
      job = currentJob;
      await new Promise((close) => currentJob.signal.addEventListener('abort', close));
      await writing;
      await write(currentJob.conclude, currentJob.conclude, true);
    }).catch(warn);

  return {
    began: (circuit) => {
      if (isOff) return;
      if (entries.size >= MAX_ENTRIES) return omit('circuits');
      const entry = entryOf(circuit, controllerId);
      entries.set(entry.id, entry);
      start();
    },
    moved: (circuit) => {
      const entry = known(circuit);
      if (entry) movedTo(entry, circuit.path);
    },
    ended: (circuit) => {
      const entry = known(circuit);
      if (!entry) return;
      Object.assign(entry, { outcome: 'ended', end: isoTime(clock.now()), changedAt: clock.now(), isChanged: true });
    },
    failed: (dial) => {
      if (isOff) return;
      const { authorization, cause, reason } = dial;
      const key = JSON.stringify([authorization.identityId, authorization.serviceId, authorization.routerId, cause, reason]);
      const same = failed.get(key);
      if (same) same.dials++;
      else if (failed.size >= MAX_FAILED) omit('failed dials');
      else failed.set(key, failedEntryOf(dial, { at: isoTime(clock.now()), random, controllerId }));
      start();
    },
    used: (routerId, at, reported) => {
      if (isOff || reported.length === 0) return;
      const intervals = intervalsIn(reported);
      if (waiting + intervals > MAX_INTERVALS) return omit('bytes of circuits');
      const sorted = reported.toSorted((one, other) => (one.circuit.id < other.circuit.id ? -1 : 1));
      const split = [...inBatches(sorted, ({ intervals }) => intervals.length, STEP)];
      for (const [i, some] of split.entries()) parts.push({ routerId, at, usages: some, isLast: i === split.length - 1 });
      waiting += intervals;
      for (const { circuit } of reported) {
        const entry = known(circuit);
        if (entry?.end != null) entry.isReported = true;
      }
      start();
    },
    restored: () => {
      if (!isOff) forRouters(core, (currentJob) => endOrphans(currentJob, controllerId, (id) => entries.has(id))).catch(warn);
    },
  };
};
