import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { exampleServer, type RunningController, startController } from '../../scripts/try-routers/controller.ts';
import { createProcesses, type Processes } from '../../scripts/try-routers/processes.ts';
import type { Place } from './place.ts';
import { prepareReference } from './reference.ts';

/** A controller with its own process and folder, and the programs that run alongside it: command line, router, host and client. */
export interface Contender extends RunningController {
  readonly folder: string;
  readonly place: Place;
  readonly processes: Processes;
}

const start = async (
  place: Place,
  { binary, folder }: { binary: string; folder: string },
  prepare: (folder: string, processes: Processes, place: Place) => Promise<readonly string[]>,
): Promise<Contender> => {
  mkdirSync(folder);
  symlinkSync(binary, join(folder, 'ziti'));
  const processes = createProcesses(folder);
  const controller = await startController(processes, await prepare(folder, processes, place), place.port);
  return { folder, place, processes, ...controller };
};

/**
 * @param binary the program `ziti`: the reference controller and, for both controllers, the router, the command line and the client
 * @param folder the parent of a new folder for each controller
 */
export const startContenders = async (binary: string, folder: string): Promise<Readonly<Record<'ours' | 'reference', Contender>>> => ({
  ours: await start(
    { port: 1280, control: 1280, edge: 3022, link: 6001, proxy: 9000 },
    { binary, folder: join(folder, 'ours') },
    async (own) => exampleServer(join(own, 'network.db')),
  ),
  reference: await start(
    { port: 1290, control: 1291, edge: 3032, link: 6011, proxy: 9010 },
    { binary, folder: join(folder, 'reference') },
    prepareReference,
  ),
});
