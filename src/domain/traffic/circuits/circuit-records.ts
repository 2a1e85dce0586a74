import type { Core } from '../../../call/core.ts';
import { inParts } from '../../../concurrency/parts.ts';
import type { Job } from '../../../jobs/background.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import { pause } from '../../../platform/timers.ts';
import { forRouters } from '../routers/fabric.ts';
import type { Circuit, UnboundCircuit } from './circuit-table.ts';
import { RECORDS_AT_ONCE, readRecords, removeRecordsOfOthers, writeRecords } from './record-rows.ts';

/** A circuit is recorded this long after it was made; one that has ended by then is never written. ms */
const RECORDED_AFTER = 250;
/** Records of one controller at most. */
const MOST = 50_000;

/** The records of the circuits of a controller. */
export interface CircuitRecords {
  /** A circuit was made, or has another way. */
  note(circuit: Circuit): void;
  /** A circuit has ended. */
  forget(id: string): void;
  /** What an earlier process of this controller has recorded. */
  read(): Promise<readonly UnboundCircuit[]>;
}

export const recordCircuits = (core: Pick<Core, 'platform' | 'background' | 'controllerId'>): CircuitRecords => {
  const { platform } = core;
  const log = createRepeatedLog(platform);
  const failed = (error: unknown) => log('warn', 'circuits could not be recorded', { error: String(error) });
  const pending = new Map<string, UnboundCircuit | undefined>();
  const recorded = new Set<string>();
  let job: Job | undefined;
  let writing: Promise<void> | undefined;

  const write = async (run: Job['write']): Promise<void> => {
    const [part = []] = inParts(pending, () => 1, RECORDS_AT_ONCE);
    for (const [id, circuit] of part) if (circuit) recorded.add(id);
    await run((entities) => writeRecords(entities, core, part));
    for (const [id, circuit] of part) {
      if (pending.get(id) === circuit) pending.delete(id);
      if (!circuit && !pending.has(id)) recorded.delete(id);
    }
  };
  const writeSoon = async (own: Job): Promise<void> => {
    await pause(platform.clock, RECORDED_AFTER, own.signal);
    if (!own.signal.aborted) await write(own.write).catch(failed);
    writing = undefined;
    if (pending.size > 0) changed();
  };
  forRouters(core, async (own) => {
    job = own;
    await new Promise((close) => own.signal.addEventListener('abort', close));
    await writing;
    while (pending.size > 0) await write(own.conclude);
  }).catch(failed);
  const changed = (): void => {
    if (job && !job.signal.aborted) writing ??= writeSoon(job);
  };
  return {
    note: ({ release: _, ...circuit }) => {
      if (recorded.size >= MOST && !recorded.has(circuit.id)) return failed(`they are more than ${MOST}`);
      pending.set(circuit.id, circuit);
      changed();
    },
    forget: (id) => {
      if (recorded.has(id)) pending.set(id, undefined);
      else pending.delete(id);
      changed();
    },
    read: async () => {
      await removeRecordsOfOthers(core);
      const circuits = await readRecords(core);
      for (const { id } of circuits) recorded.add(id);
      return circuits;
    },
  };
};
