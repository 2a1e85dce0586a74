import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { read, root } from './documents.ts';

const PAGE = 'docs/security.md';
/** The last cell of each row, with the names of tests. */
const named = [...read(PAGE).matchAll(/^\|.*\| ([^|]+) \|$/gm)].flatMap(([, tests = '']) =>
  [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
);
const fileOf = (name: string) => (name.includes('/') ? name : `test/security/${name}.test.ts`);

test('every promise names tests that exist', () => {
  const names = named.filter((name) => name !== 'test/security');
  assert.ok(names.length > 40);
  assert.deepEqual(
    names.map(fileOf).filter((file) => !existsSync(join(root, file))),
    [],
  );
});

test('every test of an attack holds a promise', () => {
  const files = readdirSync(join(root, 'test/security')).filter((file) => file.endsWith('.test.ts'));
  const promised = new Set(named.map(fileOf));
  assert.deepEqual(
    files.filter((file) => !promised.has(`test/security/${file}`)),
    [],
  );
});
