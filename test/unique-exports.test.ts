import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const source = resolve(import.meta.dirname, '../src');

/** The generated types are left out: each bears the name of the schema in `src/contract/api/` that it follows from. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('contract/types/') && file !== 'contract/changes/rows.ts',
);

const DECLARED = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm;

test('no two exports of src/ have one name', () => {
  const exports = files.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(DECLARED)].map(([, name = '']) => ({ name, file })),
  );
  const shared = [...Map.groupBy(exports, ({ name }) => name)]
    .map(([name, each]) => [name, [...new Set(each.map(({ file }) => file))]] as const)
    .filter(([, places]) => places.length > 1);
  assert.deepEqual(Object.fromEntries(shared), {});
});
