/** Three controllers on one PostgreSQL database, of which a random one is killed or paused, again and again. */
import { setTimeout as pause } from 'node:timers/promises';
import { findBinaries, startPostgres } from '../postgres.ts';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, kill, outcomeOf } from './trial.ts';

const NAMES = ['one', 'two', 'three'];
/** On average, one disaster in this many is a pause. The others are kills. */
const DISASTERS_PER_PAUSE = 3;

export const threeControllers: Disaster = {
  missing: () => (findBinaries() ? undefined : 'postgresql not installed'),
  async rehearse({ durationMs, start }) {
    await using server = await startPostgres();
    const controllers = [];
    for (const name of NAMES) controllers.push(await start(name, { storage: server.url }));
    const writers = startWriters(controllers);
    let [kills, pauses] = [0, 0];
    for (const end = Date.now() + durationMs; Date.now() < end; ) {
      await writers.firstSince(Date.now());
      await pause(Math.random() * 1000);
      const victim = Math.floor(Math.random() * NAMES.length);
      const controller = controllers[victim];
      const name = NAMES[victim];
      if (!controller || !name) throw new RangeError(`no controller ${victim}`);
      if (Math.random() * DISASTERS_PER_PAUSE < 1) {
        pauses++;
        controller.process.kill('SIGSTOP');
        await pause(500 + Math.random() * 3000);
        controller.process.kill('SIGCONT');
      } else {
        kills++;
        await kill(controller.process);
        const next = await start(name, { storage: server.url });
        writers.replace(controller, next);
        controllers[victim] = next;
      }
    }
    await writers.firstSince(Date.now());
    return await outcomeOf(`${kills} kills and ${pauses} pauses of one of three controllers`, writers, controllers);
  },
};
