import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches, visitReads } from '../../../src/query/index.ts';
import { arbitraryPredicate, arbitraryRow, arbitraryRows, fieldTable } from '../../support/filters.ts';

test('a field that a predicate does not read never decides, neither of a row nor of those in subqueries', () => {
  const property = fc.property(arbitraryPredicate(), arbitraryRow(), arbitraryRow(), arbitraryRows(), (where, row, other, rows) => {
    const [own, inner] = [new Set<string>(), new Set<string>()];
    visitReads(where, (field, table) => {
      assert.ok(table === undefined || table === fieldTable.kind);
      (table === undefined ? own : inner).add(field);
    });
    /** A row with everything that is not read taken from another row. */
    const replaced = <R extends object>(of: R, read: ReadonlySet<string>) => ({
      ...other,
      ...Object.fromEntries([...read].map((field) => [field, of[field as keyof R]])),
    });
    const answer = matches(where, row, (_, id) => rows.find((each) => each.id === id));
    const lookup = (_: string, id: string) => {
      const found = rows.find((each) => each.id === id);
      return found && replaced(found, inner);
    };
    assert.equal(matches(where, replaced(row, own), lookup), answer);
  });
  fc.assert(property, { numRuns: 1000 });
});
