/** Connections take all file descriptors of a controller, again and again, while clients write. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Controller } from '../try-databases/controllers.ts';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, missingPrograms, outcomeOf } from './trial.ts';

/** Number of descriptors that a controller may open beyond those that it has open. */
const SPARE = 8;
/** Number of connections that are opened. */
const CONNECTIONS = 64;
/** How long the connections are held. ms */
const HELD_MS = 3000;

const descriptorsOf = ({ process }: Controller): number => readdirSync(`/proc/${process.pid}/fd`).length;

const limit = ({ process }: Controller, descriptors: number): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(process.pid), `--nofile=${descriptors}:`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
};

/**
 * Opens connections over which nothing is sent.
 * @returns a function that ends them
 */
const hold = (port: number): (() => void) => {
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
};

export const exhaustedDescriptors: Disaster = {
  missing: () => missingPrograms('prlimit'),
  async rehearse({ folder, durationMs, start }) {
    const controller = await start('controller', { storage: 'sqlite:controller.db' });
    const port = Number(/listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(join(folder, 'controller.log'), 'utf8'))?.[1]);
    const writers = startWriters([controller]);
    let count = 0;
    for (const end = Date.now() + durationMs; Date.now() < end; count++) {
      await writers.firstSince(Date.now());
      limit(controller, descriptorsOf(controller) + SPARE);
      const release = hold(port);
      await pause(HELD_MS / 2);
      // Clients that connect now find no descriptor left.
      const late = Array.from({ length: 8 }, () => controller.ask('GET', '/identities?limit=1').catch(() => undefined));
      await pause(HELD_MS / 2);
      release();
      await Promise.all(late);
      limit(controller, 1024);
    }
    await writers.firstSince(Date.now());
    return outcomeOf(`${count} times all descriptors were taken`, writers, [controller]);
  },
};
