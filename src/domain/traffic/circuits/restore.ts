import { terminator } from '../../../api/terminators.ts';
import type { Core } from '../../../call/core.ts';
import { rowsById } from '../../../resources/rows-by-id.ts';
import { NOT_JUDGED, type StandingRights } from '../authorization/watch.ts';
import { forRouters } from '../routers/fabric.ts';
import type { CircuitRecords } from './circuit-records.ts';
import { type Circuits, rightOfCircuit } from './circuit-table.ts';

/** Where circuits are restored. */
export interface RestoringPlace {
  readonly core: Pick<Core, 'background'>;
  readonly rights: StandingRights;
  readonly records: Pick<CircuitRecords, 'read'>;
  readonly circuits: Circuits;
  /** Ends a circuit on its routers, as soon as these are connected. */
  end(circuitId: string): void;
  /** Gives a router up unless it connects in time. */
  giveUpLater(routerId: string): void;
}

/**
 * Restores the circuits that an earlier process of this controller has left, before the first router is let in: what routers say of circuits that are not known
 * would end them. Those that have lost their right or their terminator since end.
 */
const restore = async ({ core, rights, records, circuits, end, giveUpLater }: RestoringPlace): Promise<void> => {
  const recorded = await records.read();
  const terminatorIds = recorded.map(({ terminatorId }) => terminatorId);
  const terminators = await forRouters(core, (job) => job.read((entities) => rowsById(entities, terminator, terminatorIds)));
  for (const circuit of recorded) {
    const release = rights.add(rightOfCircuit(circuit), NOT_JUDGED, () => end(circuit.id));
    circuits.restore({ ...circuit, release });
    if (!terminators.has(circuit.terminatorId)) end(circuit.id);
  }
  for (const routerId of new Set(recorded.flatMap(({ path }) => path))) giveUpLater(routerId);
};

/** @returns restores them when it is called first; again, only where that has failed */
export const restoreCircuits = (place: RestoringPlace): (() => Promise<void>) => {
  let restoring: Promise<void> | undefined;
  return () =>
    (restoring ??= restore(place).catch((error: unknown) => {
      restoring = undefined;
      throw error;
    }));
};
