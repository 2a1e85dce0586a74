import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../examples/child.ts';

export const root = resolve(import.meta.dirname, '../..');

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
export const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @returns what the command said; an error unless it ended well. */
export const run = (cwd: string, command: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
};

export const runNode = (cwd: string, ...args: readonly string[]): string => run(cwd, process.execPath, ...args);

let packed: string | undefined;

/** The archive of what is built, packed once for each process and gone with it. */
export const archive = (): string => {
  if (packed) return packed;
  const folder = temporaryFolder({ after: (remove) => process.once('exit', remove as () => void) }); // nothing is handed to it
  const said = run(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  packed = join(folder, JSON.parse(said)[0].filename);
  return packed;
};

/**
 * A folder with the packed package in its `node_modules`, and beside it its dependencies, as declared, and nothing else: what it imports
 * without declaring it is not found.
 * @param more other packages that the application has, e.g. types
 * @param tarball of another release. Default: what is built
 */
export const install = (t: Pick<TestContext, 'after'>, more: readonly string[] = [], tarball = archive()): string => {
  const folder = temporaryFolder(t);
  const app = join(folder, 'app');
  const modules = join(app, 'node_modules');
  const installed = join(modules, 'overlay-controller');
  mkdirSync(installed, { recursive: true });
  run(folder, 'tar', '-xzf', resolve(tarball), '-C', installed, '--strip-components', '1');
  for (const name of [...Object.keys(manifest.dependencies), ...more]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  return app;
};
