import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { entriesOf } from '../../scripts/build/reach.ts';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What is of use without a controller of this process, or only beside another entry point. */
const USABLE = ['client/index.js', 'adapters/storage/drizzle.js', 'adapters/storage/prisma.js', 'adapters/observability/metrics.js'];

test('entry points refuse a runtime that is too old by a sentence that names the version of Node in package.json', () => {
  const entries = entriesOf({ ...manifest, bin: {} }).code.filter((path) => !USABLE.includes(path));
  const code = `
    delete Promise.withResolvers;
    delete Map.groupBy;
    for (const path of ${JSON.stringify(entries)})
      await import(path.replace(/^/, '${root}/').replace(/js$/, 'ts')).catch((error) => console.log(path, error.message));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  const minimum = manifest.engines.node.replace('>=', '');
  const sentence = `overlay-controller needs Node ${minimum} or later, or another runtime with Promise.withResolvers`;
  assert.deepEqual(
    said.trim().split('\n'),
    entries.map((path) => `${path} ${sentence}`),
  );
});
