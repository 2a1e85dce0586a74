import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredKinds } from '../../../src/contract/api/declared-kinds.ts';
import { groups } from '../../../src/contract/api/index.ts';
import { kinds } from '../../../src/contract/api/kinds.ts';
import type { Kind } from '../../../src/contract/api/kit/index.ts';

test('state documents declare every kind that clients create by a name of its own', () => {
  const declared: readonly Kind[] = Object.values(declaredKinds);
  const creatable = Object.values(groups).flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ method, path }) => (method === 'POST' ? [path] : [])),
  );
  const named = (Object.values(kinds) as readonly Kind[]).filter(
    ({ fields, collection }) => fields.name?.unique && creatable.includes(`/${collection}`),
  );
  assert.deepEqual(
    named.filter((kind) => !declared.includes(kind)).map(({ kind }) => kind),
    [],
    'add them to src/contract/api/declared-kinds.ts: after the kinds that they refer to',
  );
});
