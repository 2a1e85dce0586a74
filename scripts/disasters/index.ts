import { clockJumps } from './clock.ts';
import { exhaustedDescriptors } from './descriptors.ts';
import { fullDisk, postgresFullDisk, readOnlyDisk } from './disks.ts';
import { postgresFailedOver } from './failed-over.ts';
import { killsOnSqlite } from './kills-on-sqlite.ts';
import { postgresKilled, postgresPaused, postgresSilent } from './postgres.ts';
import { threeControllers } from './three-controllers.ts';
import type { Disaster } from './trial.ts';

/** All of them, by the names that `npm run disasters` takes. */
export const DISASTERS: Readonly<Record<string, Disaster>> = {
  'kills-on-sqlite': killsOnSqlite,
  'postgres-killed': postgresKilled,
  'postgres-paused': postgresPaused,
  'postgres-silent': postgresSilent,
  'postgres-failed-over': postgresFailedOver,
  'postgres-full-disk': postgresFullDisk,
  'three-controllers': threeControllers,
  'full-disk': fullDisk,
  'read-only-disk': readOnlyDisk,
  'clock-jumps': clockJumps,
  'exhausted-descriptors': exhaustedDescriptors,
};
