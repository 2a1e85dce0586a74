import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeRouter, identity, router, service } from '../../../src/contract/api/kinds.ts';
import { createGuard } from '../../../src/store/entities/precondition.ts';
import type { Row } from '../../../src/store/storage/port.ts';

const rowOf = (id: string, version: number): Row => ({ id, version, createdAt: '', updatedAt: '' });

test('a condition on the version is about the entity as the transaction finds it, not as it leaves it', () => {
  const guard = createGuard({ kind: service, id: 's', versions: [3] });
  guard(service, rowOf('other', 7));
  guard(identity, rowOf('s', 7));
  guard(service, rowOf('s', 3));
  guard(service, rowOf('s', 4));
});

test('an entity that has another version is refused, also where it is read as another kind of its table', () => {
  for (const [kind, versions] of [
    [router, [1, 2]],
    [edgeRouter, []],
  ] as const)
    assert.throws(() => createGuard({ kind, id: 'r', versions })(edgeRouter, rowOf('r', 3)), { code: 'PRECONDITION_FAILED' });
});
