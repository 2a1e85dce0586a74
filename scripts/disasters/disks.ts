/** A controller writes to a disk of its own, which becomes full, or read-only. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findBinaries, startPostgres } from '../postgres.ts';
import type { Controller } from '../try-databases/controllers.ts';
import { startWriters } from '../try-databases/writers.ts';
import { type Disaster, kill, missingPrograms, outcomeOf, type Trial } from './trial.ts';

/** The folder where the disk is mounted, below that of the trial. */
const DISK = 'disk';
const STORAGE = `sqlite:${DISK}/controller.db`;

const root = (command: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  // e2fsck exits with 1 if it has repaired something.
  if (status !== 0 && !(command === 'e2fsck' && status === 1)) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};

const mount = ({ folder, after }: Trial, ...args: readonly string[]): string => {
  const disk = join(folder, DISK);
  mkdirSync(disk, { recursive: true });
  root('mount', ...args, disk);
  after(() => spawnSync('umount', ['--lazy', disk]));
  return disk;
};

const cannotMount = (): string | undefined => {
  const place = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    root('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place);
    root('umount', place);
    return undefined;
  } catch {
    return 'mounting a disk is not permitted (it needs root)';
  } finally {
    rmdirSync(place);
  }
};

/** Sizes of blocks: each is written until there is no space left for it, so that not a byte is free in the end. bytes */
const BLOCKS = [2 ** 20, 2 ** 12, 1];

const fill = (file: string): void => {
  for (const size of BLOCKS)
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
};

/** What was written before can be read, while nothing can be written. */
const assertReads = async ({ ask }: Controller): Promise<void> => {
  const { status, body } = await ask('GET', '/identities?limit=1');
  assert.equal(status, 200, JSON.stringify(body));
};

/** How long a disk stays full, or read-only. ms */
const LASTS_MS = 3000;

export const fullDisk: Disaster = {
  missing: cannotMount,
  async rehearse(trial) {
    const disk = mount(trial, '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs');
    let controller = await trial.start('controller', { storage: STORAGE });
    const writers = startWriters([controller]);
    const balloon = join(disk, 'balloon');
    let [count, kills] = [0, 0];
    for (const end = Date.now() + trial.durationMs; Date.now() < end; count++) {
      await writers.firstSince(Date.now());
      fill(balloon);
      await pause(LASTS_MS);
      await assertReads(controller);
      // Every other time it is killed while the disk is full.
      const isKilled = count % 2 === 1;
      if (isKilled) await kill(controller.process);
      rmSync(balloon);
      if (isKilled) {
        kills++;
        const next = await trial.start('controller', { storage: STORAGE });
        writers.replace(controller, next);
        controller = next;
      }
    }
    await writers.firstSince(Date.now());
    return outcomeOf(`${count} times the disk was full, ${kills} kills meanwhile`, writers, [controller]);
  },
};

const IMAGE_BYTES = 64 * 2 ** 20;

/** Megabytes of a disk that a new database and the log of its changes fill in part. */
const DATABASE_MEGABYTES = 200;

export const postgresFullDisk: Disaster = {
  missing: () => (findBinaries() ? cannotMount() : 'postgresql not installed'),
  async rehearse(trial) {
    const disk = mount(trial, '-t', 'tmpfs', '-o', `size=${DATABASE_MEGABYTES}m`, 'tmpfs');
    await using server = await startPostgres(disk);
    const controllers = [await trial.start('one', { storage: server.url }), await trial.start('two', { storage: server.url })];
    const writers = startWriters(controllers);
    const balloon = join(disk, 'balloon');
    let [count, ended] = [0, 0];
    for (const end = Date.now() + trial.durationMs; Date.now() < end; count++) {
      await writers.firstSince(Date.now());
      fill(balloon);
      await pause(LASTS_MS);
      rmSync(balloon);
      // It ends when it cannot write the log of its changes.
      if (!server.isRunning) {
        ended++;
        server.start();
      }
    }
    await writers.firstSince(Date.now());
    return await outcomeOf(`${count} times the disk of PostgreSQL was full, which ended it ${ended} times`, writers, controllers);
  },
};

export const readOnlyDisk: Disaster = {
  missing: () =>
    missingPrograms('mkfs.ext4', 'e2fsck', 'findmnt') ??
    (existsSync('/dev/loop-control') ? cannotMount() : 'the kernel has no loop devices'),
  async rehearse(trial) {
    const image = join(trial.folder, 'image');
    writeFileSync(image, '');
    root('truncate', '-s', String(IMAGE_BYTES), image);
    root('mkfs.ext4', '-q', image);
    const options = ['-o', 'loop,errors=remount-ro', image];
    const disk = mount(trial, ...options);
    let controller = await trial.start('controller', { storage: STORAGE });
    const writers = startWriters([controller]);
    let [count, lost] = [0, 0];
    for (const end = Date.now() + trial.durationMs; Date.now() < end; count++) {
      await writers.firstSince(Date.now());
      // An error of the file system, after which ext4 makes it read-only (`errors=remount-ro`).
      spawnSync('sh', ['-c', `echo 1 > /sys/fs/ext4/${basename(root('findmnt', '-no', 'SOURCE', disk))}/trigger_fs_error`]);
      await pause(LASTS_MS);
      await assertReads(controller);
      await kill(controller.process);
      root('umount', disk);
      root('e2fsck', '-fp', image);
      root('mount', ...options, disk);
      const next = await trial.start('controller', { storage: STORAGE });
      writers.replace(controller, next);
      controller = next;
      lost += await writers.lost(controller);
    }
    return outcomeOf(`${count} times the disk became read-only and was repaired`, writers, [controller], lost);
  },
};
