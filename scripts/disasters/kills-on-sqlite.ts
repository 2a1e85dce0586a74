/** A controller on SQLite is killed while clients write, again and again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, kill, outcomeOf } from './trial.ts';

export const killsOnSqlite: Disaster = {
  missing: () => undefined,
  async rehearse({ folder, durationMs, start }) {
    const startOne = () => start('controller', { storage: 'sqlite:controller.db' });
    let controller = await startOne();
    const writers = startWriters([controller], 4);
    let [kills, lost] = [0, 0];
    for (const end = Date.now() + durationMs; Date.now() < end; kills++) {
      await writers.firstSince(Date.now());
      await pause(Math.random() * 500);
      await kill(controller.process);
      const next = await startOne();
      writers.replace(controller, next);
      controller = next;
      lost += await writers.lost(controller);
    }
    const outcome = await outcomeOf(`${kills} kills`, writers, [controller], lost);
    await kill(controller.process);
    using database = new DatabaseSync(join(folder, 'controller.db'));
    assert.deepEqual(database.prepare('pragma integrity_check').all(), [{ __proto__: null, integrity_check: 'ok' }]);
    return outcome;
  },
};
