import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sections from './specification.json' with { type: 'json' };
import { proofs } from './specification.ts';

const rows = sections.flatMap(({ statements }) => Object.keys(statements));

/** The names of all tests, as they are quoted in the sources. */
const names = new Set(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .flatMap((source) => [...source.matchAll(/(?:\b(?:test|each)\(\s*|\brule: )(['"])((?:\\.|(?!\1).)+)\1/g)])
    .map(([, , name = '']) => name.replaceAll(/\\(.)/g, '$1')),
);

test('every proof of the specification is a test that there is', () => {
  const missing = Object.entries(proofs).flatMap(([row, tests]) =>
    tests.filter((name) => !names.has(name)).map((name) => `${row}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('every statement of the specification has a proof, and nothing else has', () => {
  const proved = Object.entries(proofs).flatMap(([row, tests]) => (tests.length > 0 ? [row] : []));
  assert.deepEqual(proved.toSorted(), rows.toSorted());
});
