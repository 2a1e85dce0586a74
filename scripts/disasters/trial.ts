/** What a disaster is rehearsed with, and what is counted of it: what clients were told, and what the controllers show afterwards. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Controller, type ControllerOptions, startController } from '../try-databases/controllers.ts';
import type { Writers } from '../try-databases/writers.ts';
import { createProcesses, type Processes } from '../try-routers/processes.ts';

export interface Trial {
  /** A temporary folder, which has the secret key of the network, and the logs of all processes. */
  readonly folder: string;
  readonly processes: Processes;
  /** How long the disaster lasts. ms */
  readonly durationMs: number;
  /** Starts a server. Its log is in `NAME.log`, or `NAME-2.log` if it is the second of this name. */
  start(name: string, options: ControllerOptions): Promise<Controller>;
  /** Registers work for the end of the trial, whether it succeeds or fails. */
  after(clean: () => void): void;
}

export interface Disaster {
  /** Why it cannot be rehearsed on this machine; undefined if it can. */
  missing(): string | undefined;
  rehearse(trial: Trial): Promise<Outcome>;
}

export interface Outcome {
  /** What happened, such as `12 kills`. */
  readonly happened: string;
  /** The number of operations that were answered with success. */
  readonly acknowledged: number;
  /** The number of operations that were refused, or had no answer. */
  readonly failed: number;
  /** The number of entities that are not what the last acknowledged operation made of them. */
  readonly lost: number;
  /** The longest time in which no operation succeeded. ms */
  readonly longestSilence: number;
  /** The number of records of the audit log, whose hash chain was verified. */
  readonly records: number;
}

/**
 * Ends the writers, and compares what each reader sees with what was acknowledged.
 * @param lostBefore what was lost in earlier comparisons
 * @throws AssertionError if the audit log is damaged, or lacks a record of an acknowledged operation
 */
export const outcomeOf = async (happened: string, writers: Writers, readers: readonly Controller[], lostBefore = 0): Promise<Outcome> => {
  await writers.end();
  let [lost, records] = [lostBefore, 0];
  for (const reader of readers) {
    lost += await writers.lost(reader);
    records = await verifiedRecords(reader, writers.acknowledged.length);
  }
  return {
    happened,
    acknowledged: writers.acknowledged.length,
    failed: writers.refused,
    lost,
    longestSilence: writers.longestSilence(),
    records,
  };
};

const verifiedRecords = async (reader: Controller, least: number): Promise<number> => {
  let records = 0;
  let isWhole = true;
  for (let from: number | null = 1; from !== null; ) {
    const { status, body } = await reader.ask('GET', `/../extensions/v1/audit/verify?from=${from}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.data.isIntact, `the audit log of ${reader.name} is damaged: ${JSON.stringify(body.data.fault)}`);
    if (from === 1) isWhole = body.data.oldest === 1;
    records += body.data.records;
    from = body.data.next;
  }
  assert.ok(!isWhole || records >= least, `${reader.name} has ${records} records of ${least} acknowledged operations`);
  return records;
};

/** Kills a process, and waits until it has ended. */
export const kill = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

/** Names the programs that are not installed. */
export const missingPrograms = (...programs: readonly string[]): string | undefined => {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  return missing.length > 0 ? `${missing.join(', ')} not installed` : undefined;
};

/** Rehearses a disaster in a temporary folder, which is kept if it fails. */
export const rehearsed = async (disaster: Disaster, durationMs: number): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'disaster-'));
  // Database servers, which do not run as root, have files in it.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  const processes = createProcesses(folder);
  const cleaning = [() => processes.end()];
  const clean = () => {
    while (cleaning.length > 0) cleaning.shift()?.();
  };
  const interrupted = () => process.exit(1);
  process.once('SIGINT', interrupted).once('exit', clean);
  const started = new Map<string, number>();
  const start: Trial['start'] = (name, options) => {
    const count = (started.get(name) ?? 0) + 1;
    started.set(name, count);
    return startController(folder, processes, count === 1 ? name : `${name}-${count}`, options);
  };
  try {
    const outcome = await disaster.rehearse({ folder, processes, durationMs, start, after: (each) => cleaning.push(each) });
    clean();
    if (outcome.lost === 0) rmSync(folder, { recursive: true, force: true });
    return outcome;
  } catch (error) {
    throw new Error(`it failed; the logs are in ${folder}`, { cause: error });
  } finally {
    clean();
    process.off('SIGINT', interrupted).off('exit', clean);
  }
};
