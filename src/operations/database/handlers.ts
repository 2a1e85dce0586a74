import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { database } from '../../contract/api/database.ts';
import { runIntegrity } from './integrity.ts';
import { createSnapshot, createSnapshotWithPath } from './snapshots.ts';
import { progressOf, take } from './tasks.ts';

const startIntegrity =
  (isFix: boolean) =>
  async (call: Call): Promise<Record<string, never>> => {
    const { core, requestId } = call;
    const taken = await take(call, 'data-integrity', { isFix, findings: [], tooManyFindings: false });
    core.background
      .run(call.attribution, (job) => runIntegrity(job, core, taken, isFix))
      // Only logged, for operators. Clients query the state of the task.
      .catch((error: unknown) =>
        core.platform.logger.warn('the data integrity check failed before it was complete', { requestId, error: String(error) }),
      );
    return {};
  };

const integrityOf = (call: Call) =>
  call.read(async (entities) => {
    const { task, progress } = await progressOf(entities, 'data-integrity', call.now());
    return {
      ...progress,
      fixingErrors: task?.isFix ?? false,
      results: [...(task?.findings ?? [])],
      tooManyErrors: task?.tooManyFindings ?? false,
    };
  });

const snapshotOf = (call: Call) =>
  call.read(async (entities) => {
    const { task, progress } = await progressOf(entities, 'snapshot', call.now());
    return { ...progress, succeededAt: task?.succeededAt ?? null, name: task?.snapshotName ?? null };
  });

export const databaseEntries = implement(database, {
  checkIntegrity: startIntegrity(false),
  fixIntegrity: startIntegrity(true),
  getIntegrityResults: integrityOf,
  createSnapshot,
  createSnapshotWithPath,
  getSnapshot: snapshotOf,
});
