import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../../src/index.ts';
import { fastPasswordHasher } from '../../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { folder } from './support.ts';

const QUIET = { error: console.error, warn: () => {}, info: () => {} };

/** A controller on a database in a file, whose clock is ahead by so many milliseconds. */
export const controllerOn = async (file: string, ahead: number): Promise<ManagementController & AsyncDisposable> => {
  const platform = webPlatform({ clock: { now: () => Date.now() + ahead }, passwords: fastPasswordHasher(), logger: QUIET });
  const controller = await ManagementController.open({
    storage: sqliteStorage({ file, synchronous: 'NORMAL' }),
    secretKey: 'dGhlIHNlY3JldCBrZXkgb2YgZXZlcnkgdGVzdC4gLi4',
    settings: { address: 'https://127.0.0.1:1280' },
    platform,
  });
  return { ...controller, [Symbol.asyncDispose]: () => controller.close() };
};

/** Runs a worker until it is killed: most of them in the middle of their work, some while they begin. */
const killedWorker = async (file: string, ledger: string, round: number): Promise<void> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'consuming-worker.ts'), file, ledger, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = (milliseconds: number) => void setTimeout(milliseconds).then(() => child.kill('SIGKILL'));
  if (round % 5 === 0) kill(Math.random() * 1500);
  else child.stdout.once('data', () => kill(Math.random() * 200));
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL', 'a worker goes on until it is killed');
};

/** Workers are killed, one after the other, while this process makes changes, too: a last one has been handed all of them. */
export const surviveKills = async (kills: number): Promise<void> => {
  await using place = await folder();
  const ledger = join(place.file, '../ledger');
  await using controller = await controllerOn(place.file, 0);
  for (let round = 1; round <= kills; round++) {
    await Promise.all([killedWorker(place.file, ledger, round), controller.api.configTypes.create({ body: { name: `beside ${round}` } })]);
  }
  // The last worker may have dealt with every change before it was killed: this one is left to the last consumer in any case.
  await controller.api.configTypes.create({ body: { name: 'the last one' } });
  const last = await lastRevision(controller);
  await using consumer = await controllerOn(place.file, (kills + 1) * 60_000);
  const rest: number[] = [];
  consumer.changes.consume('ledger', ({ revision }) => void rest.push(revision), { at: 'oldest' });
  while (rest.at(-1) !== last) await setTimeout(10);

  // On a busy machine, every process may be killed before it is handed anything.
  const written = existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
  const handed = [...written, ...rest];
  const fresh = handed.filter((revision, i) => revision !== handed[i - 1]);
  assert.deepEqual(
    fresh,
    Array.from({ length: last }, (_, i) => i + 1),
    'each change, in order',
  );
  assert.ok(handed.length - fresh.length <= kills, 'at most the one that a worker was killed in comes again');
  assert.ok(last > kills, 'the workers got to work');
};

const lastRevision = async ({ api }: ManagementController): Promise<number> => {
  const { pagination } = await api.changes.list();
  return pagination.totalCount;
};
