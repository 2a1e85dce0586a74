import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kinds } from '../../../src/contract/api/kinds.ts';
import type { Kind } from '../../../src/contract/api/kit/index.ts';

describe('attributes of fields and kinds', () => {
  for (const kind of Object.values(kinds) as readonly Kind[])
    test(`of ${kind.kind} name fields and kinds that exist`, () => {
      const { at, of, keptIn } = kind.ends ?? {};
      const fields = Object.values(kind.fields).flatMap(({ storedAs, endsOf }) => [storedAs, endsOf]);
      for (const name of [at, of, keptIn, ...fields]) if (name !== undefined) assert.ok(Object.hasOwn(kind.fields, name), name);
      for (const { idsWithin = {} } of Object.values(kind.fields))
        for (const target of Object.values(idsWithin)) assert.ok(Object.hasOwn(kinds, target), target);
    });

  test('that bodies store under another name have a field that bodies do not accept', () => {
    for (const kind of Object.values(kinds) as readonly Kind[])
      for (const { storedAs, keep } of Object.values(kind.fields))
        if (storedAs !== undefined) assert.deepEqual([keep, kind.fields[storedAs]?.write], ['input', 'never'], kind.kind);
  });
});
