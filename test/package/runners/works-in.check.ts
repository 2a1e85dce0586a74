/** `npm run check:runners`, after `npm run build`: the packed testing kit in the test frameworks that applications use. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { install } from '../pack.ts';

const modules = join(import.meta.dirname, 'node_modules');

/** How each runs a file that ends in `.test.mjs`, and what it says at the end. */
const runners: Readonly<Record<string, { readonly args: readonly string[]; readonly passed: RegExp }>> = {
  'node:test': { args: ['--test', 'kit.test.mjs'], passed: /^ℹ pass 3$/m },
  Vitest: { args: [join(modules, 'vitest/vitest.mjs'), 'run', '--globals', '--no-color'], passed: /Tests +3 passed/ },
  Jest: { args: ['--experimental-vm-modules', join(modules, 'jest/bin/jest.js')], passed: /^Tests: +3 passed/m },
};

for (const [name, { args, passed }] of Object.entries(runners))
  test(`the testing kit works in ${name}`, (t) => {
    const app = install(t);
    for (const runner of ['vitest', 'jest', '@jest']) symlinkSync(join(modules, runner), join(app, 'node_modules', runner), 'junction');
    copyFileSync(join(import.meta.dirname, 'kit.test.mjs'), join(app, 'kit.test.mjs'));
    const jest = { testMatch: ['**/*.test.mjs'], transform: {}, moduleFileExtensions: ['js', 'mjs'] };
    writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', jest }));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env; // else Node believes that it runs a file of these tests
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8', env });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout + stderr, passed);
  });
