/** The clock of one of two controllers jumps, ahead and back, while clients write; and that of a single one. */
import assert from 'node:assert/strict';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, outcomeOf } from './trial.ts';

/** The variant of libfaketime (Debian's package) for programs with several threads, as Node is. */
const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

/** How far the clock is off, in this order: a bug in daylight saving, a dead battery, a wrong year. s */
const JUMPS = [3600, -3600, 86_400, -86_400, 400 * 86_400, 0];

export const clockJumps: Disaster = {
  missing: () => (library ? undefined : 'libfaketime not installed'),
  async rehearse({ folder, durationMs, start }) {
    const offset = join(folder, 'offset');
    const set = (seconds: number) => writeFileSync(offset, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
    set(0);
    const through = [
      'env',
      `LD_PRELOAD=${library}`,
      `FAKETIME_TIMESTAMP_FILE=${offset}`,
      'FAKETIME_NO_CACHE=1',
      // Timers measure elapsed time, which does not jump.
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
    ];
    const storage = 'sqlite:controller.db';
    const controllers = [await start('jumping', { storage, through }), await start('steady', { storage })] as const;
    const writers = startWriters(controllers);
    let count = 0;
    for (const end = Date.now() + durationMs; Date.now() < end || count % JUMPS.length !== 0; count++) {
      await writers.firstSince(Date.now());
      set(JUMPS[count % JUMPS.length] ?? 0);
      await pause(durationMs / JUMPS.length / 2);
    }
    await writers.firstSince(Date.now());
    const { body } = await controllers[1].ask('GET', `/../extensions/v1/audit?from=${new Date(Date.now() + 86_400_000).toISOString()}`);
    assert.ok(body.meta.pagination.totalCount > 0, 'the clock has jumped');
    return outcomeOf(`${count} jumps of the clock of one of two controllers, by up to 400 days`, writers, controllers);
  },
};
