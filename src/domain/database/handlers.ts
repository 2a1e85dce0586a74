import { database, maintenanceTask } from '../../api/database.ts';
import { actorId } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { runIntegrity } from './integrity.ts';
import { createSnapshot } from './snapshots.ts';
import { isHeld, type Task, take } from './tasks.ts';

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

/** The state of the last run. One whose controller was lost is over, and says so. */
const stateOf = (task: Task | undefined, now: string) => {
  const inProgress = task !== undefined && isHeld(task, now);
  const isLost = task !== undefined && task.holder !== null && !inProgress;
  return {
    endTime: (isLost ? task.heldUntil : task?.endedAt) ?? null,
    error: isLost ? 'the controller that ran it was lost before the end' : (task?.error ?? null),
    fixingErrors: task?.isFix ?? false,
    inProgress,
    results: [...(task?.findings ?? [])],
    startTime: task?.startedAt ?? null,
    tooManyErrors: task?.tooManyFindings ?? false,
  };
};

export const databaseEntries = implement(database, {
  checkIntegrity: startIntegrity(false),
  fixIntegrity: startIntegrity(true),
  getIntegrityResults: (call) => call.read(async (entities) => stateOf(await entities.get(maintenanceTask, 'data-integrity'), call.now())),
  createSnapshot,
});
