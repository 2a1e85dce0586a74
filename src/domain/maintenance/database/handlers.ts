import { database, maintenanceTask } from '../../../api/database.ts';
import { actorId } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { runIntegrity } from './integrity.ts';
import { createSnapshot } from './snapshots.ts';
import { isHeld, type Task, type TaskName, take } from './tasks.ts';

const startIntegrity =
  (isFix: boolean) =>
  async (call: Call): Promise<Record<string, never>> => {
    const { core, requestId } = call;
    const hold = await take(call, 'data-integrity', { isFix, findings: [], tooManyFindings: false });
    core.background
      .run({ actor: actorId(call.actor), requestId }, (job) => runIntegrity(job, core, hold, isFix))
      // The state tells clients; this is for those who look after the controller.
      .catch((error: unknown) =>
        core.platform.logger.warn('data integrity: the run ended before its end', { requestId, error: String(error) }),
      );
    return {};
  };

/** How a task went last. One whose controller was lost is over, and says so. */
const progressOf = (task: Task | undefined, now: string) => {
  const inProgress = task !== undefined && isHeld(task, now);
  const isLost = task !== undefined && task.holder !== null && !inProgress;
  return {
    endTime: (isLost ? task.heldUntil : task?.endedAt) ?? null,
    error: isLost ? 'the controller that ran it was lost before the end' : (task?.error ?? null),
    inProgress,
    startTime: task?.startedAt ?? null,
  };
};

const integrityOf = (task: Task | undefined, now: string) => ({
  ...progressOf(task, now),
  fixingErrors: task?.isFix ?? false,
  results: [...(task?.findings ?? [])],
  tooManyErrors: task?.tooManyFindings ?? false,
});

const snapshotOf = (task: Task | undefined, now: string) => ({ ...progressOf(task, now), succeededAt: task?.succeededAt ?? null });

const lastOf = (name: TaskName) => (call: Call) => call.read((entities) => entities.get(maintenanceTask, name));

export const databaseEntries = implement(database, {
  checkIntegrity: startIntegrity(false),
  fixIntegrity: startIntegrity(true),
  getIntegrityResults: async (call) => integrityOf(await lastOf('data-integrity')(call), call.now()),
  createSnapshot,
  getSnapshot: async (call) => snapshotOf(await lastOf('snapshot')(call), call.now()),
});
