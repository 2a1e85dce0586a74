import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Licences that let every user of the package use, change and distribute it, with a notice at most. */
const PERMISSIVE: ReadonlySet<string> = new Set(['MIT', 'ISC', '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0']);

interface LockedPackage {
  readonly dev?: boolean;
  readonly license?: string;
}

test('everything that is installed with the package has a permissive licence', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  assert.ok(installed.length > 20);
  assert.deepEqual(
    installed.filter(([, { license = 'unknown' }]) => !PERMISSIVE.has(license)).map(([path, { license }]) => `${path}: ${license}`),
    [],
  );
});
