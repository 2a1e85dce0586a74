import type { Core } from '../../call/core.ts';
import { type Fault, faultsOf, mayHaveFaults, remedyFaults } from '../../call/resources/faults.ts';
import { allKinds } from '../../call/resources/kinds.ts';
import type { Finding } from '../../contract/api/database.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { idAfter } from '../../query/index.ts';
import { ENTRIES_AT_ONCE, entriesIn, inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Job } from '../../store/jobs/background.ts';
import type { Row } from '../../store/storage/port.ts';
import { saveToSink } from './snapshots.ts';
import { type TakenTask, type Task, type TaskWork, workOn } from './tasks.ts';

/** Number of rows per transaction: keeps transactions short and memory bounded, regardless of the size of the store. */
const PAGE = 100;
/** Maximum number of findings that are stored. */
const MAX_FINDINGS = 1000;
/** Interval at which a running check stores its results. ms */
const STORE_INTERVAL = 1000;

/** Checks everything in the store, and repairs it if requested. The findings are stored with the task. */
export const runIntegrity = async (job: Job, core: Core, taken: TakenTask, isFix: boolean): Promise<void> => {
  const findings: Finding[] = [];
  const results = { findings, tooManyFindings: false };
  const work = async (task: TaskWork) => {
    if (isFix && core.snapshots) await saveToSink(task.signal, core, core.snapshots);
    let storedAt = core.platform.clock.now();
    for await (const finding of scan(task, isFix)) {
      if (findings.length < MAX_FINDINGS) findings.push(finding);
      else results.tooManyFindings = true;
      if (core.platform.clock.now() - storedAt < STORE_INTERVAL) continue;
      storedAt = core.platform.clock.now();
      await task.note(results);
    }
  };
  await workOn(job, core, taken, work, (): Partial<Task> => results);
};

async function* scan(task: TaskWork, isFix: boolean): AsyncGenerator<Finding> {
  for (const kind of allKinds) {
    if (!kind.view) yield* indexFindings(task, kind, isFix);
    if (mayHaveFaults(kind)) yield* rowFindings(task, kind, isFix);
  }
}

/** Checks indexes and counts against the documents. */
async function* indexFindings(task: TaskWork, kind: Kind, isFix: boolean): AsyncGenerator<Finding> {
  for (let after: string | undefined, isOver = false; !isOver; ) {
    await yieldUnlessAborted(task);
    const page = { limit: PAGE, ...(after === undefined ? {} : { after }) };
    const { faults, next } = await task.read((entities) => entities.verify(kind, page));
    for (const [id, rowFaults] of Map.groupBy(faults, (fault) => fault.id)) {
      const fixed = isFix && (await task.write((entities) => entities.repair(kind, id)));
      for (const { description } of rowFaults) yield { description, fixed };
    }
    after = next;
    isOver = next === undefined;
  }
}

/** Checks references between documents. */
async function* rowFindings(task: TaskWork, kind: Kind, isFix: boolean): AsyncGenerator<Finding> {
  for (let after: string | undefined, isOver = false; !isOver; ) {
    const { next, faults } = await task.read(async (entities) => {
      const rows: readonly Row[] = await entities.list(kind, { where: idAfter(after), limit: PAGE });
      const faults: Fault[] = [];
      for (const part of inBatches(rows, entriesIn, ENTRIES_AT_ONCE)) {
        faults.push(...(await faultsOf(entities, kind, part)));
        await yieldUnlessAborted(task);
      }
      return { next: rows.length < PAGE ? undefined : rows.at(-1)?.id, faults };
    });
    for (const [id, rowFaults] of Map.groupBy(faults, (fault) => fault.id)) {
      const remaining = isFix ? await fixRow(task, kind, id) : undefined;
      for (const { description } of rowFaults) yield { description, fixed: remaining !== undefined && !remaining.includes(description) };
    }
    after = next;
    isOver = next === undefined;
  }
}

/**
 * Repairs a row in a separate transaction, after checking it again, because it may have changed since it was read.
 * @returns the remaining faults
 */
const fixRow = async (task: TaskWork, kind: Kind, id: string): Promise<readonly string[]> => {
  let faultsBefore: readonly string[] = [];
  try {
    return await task.write(async (entities) => {
      const row = await entities.get(kind, id);
      const faults = row ? await faultsOf(entities, kind, [row]) : [];
      faultsBefore = faults.map(({ description }) => description);
      return row && faults.length > 0 ? (await remedyFaults(entities, kind, row, faults)).map(({ description }) => description) : [];
    });
  } catch (error) {
    // The repair would have to delete the row, but another row, which must stay, depends on it.
    if (error instanceof ApiError && (error.status === 400 || error.status === 409)) return faultsBefore;
    throw error;
  }
};

/**
 * Yields to the event loop, because an in-memory store never does.
 * @throws the reason of the aborted signal
 */
const yieldUnlessAborted = async ({ signal }: TaskWork): Promise<void> => {
  await yieldToEventLoop();
  signal.throwIfAborted();
};
