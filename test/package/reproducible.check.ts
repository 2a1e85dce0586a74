/** Whoever doubts a published package builds its commit and compares the two archives. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../examples/child.ts';
import { archive, root, run } from './pack.ts';

const NOT_SOURCES = new Set(['.git', 'dist', 'data', 'site']);
const isSource = (path: string): boolean => basename(path) !== 'node_modules' && !NOT_SOURCES.has(relative(root, path));
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

test('two builds, in different folders, give one archive', (t) => {
  const folder = temporaryFolder(t);
  const tree = join(folder, 'another-checkout');
  mkdirSync(tree);
  cpSync(root, tree, { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction');
  run(tree, 'npm', 'run', 'build');
  const said = run(tree, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  assert.equal(hashOf(join(folder, JSON.parse(said)[0].filename)), hashOf(archive()));
});
