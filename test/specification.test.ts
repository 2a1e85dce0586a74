import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sections from './specification.json' with { type: 'json' };
import { statementsClaimedIn } from './specification.ts';

test('every statement of the specification has a test that proves it, and no test names another', () => {
  const proven = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => statementsClaimedIn(readFileSync(join(import.meta.dirname, file), 'utf8')));
  const stated = sections.flatMap(({ statements }) => Object.keys(statements)).map(Number);
  const ascending = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  assert.deepEqual(ascending(proven), ascending(stated));
});
