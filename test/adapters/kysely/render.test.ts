/** Statements of one form share one text, whatever their values are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_STEPS } from '../../../adapters/storage/kysely/forms.ts';
import { joined, postgres, raw, type Sql, sql, sqlite, type Value } from '../../../adapters/storage/kysely/index.ts';
import { inlineLiterals, rendered } from '../../../adapters/storage/kysely/render.ts';

/** A statement, and its text with `<value>` in the place of each value. */
interface Sample {
  readonly statement: Sql;
  readonly text: string;
  readonly values: readonly Value[];
}

/** What stands in a template. */
interface Part extends Omit<Sample, 'statement'> {
  readonly part: Sql | Value;
}

const value: fc.Arbitrary<Value> = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
const text = fc.constantFrom('a', 'b', '', ' = ');

const of = (v: Value) => ({ part: v, text: '<>', values: [v] });
/** One place in the code, which is given values and pieces alike. */
const pair = (l: Sql | Value, r: Sql | Value): Sql => sql`(${l} and ${r})`;

const { sample } = fc.letrec<{ sample: Sample; part: Part }>((tie) => ({
  part: fc.oneof(
    value.map(of),
    tie('sample').map(({ statement, text, values }) => ({ part: statement, text, values })),
  ),
  sample: fc.oneof(
    { depthSize: 'small' },
    text.map((t) => ({ statement: raw(t), text: t, values: [] })),
    fc.tuple(tie('part'), tie('part')).map(([l, r]) => ({
      statement: pair(l.part, r.part),
      text: `(${l.text} and ${r.text})`,
      values: [...l.values, ...r.values],
    })),
    tie('part').map(({ part, text, values }) => ({ statement: sql`not ${part}`, text: `not ${text}`, values })),
    fc.tuple(fc.array(tie('sample'), { maxLength: 4 }), fc.constantFrom(', ', ' or ')).map(([all, by]) => ({
      statement: joined(
        all.map(({ statement }) => statement),
        by,
      ),
      text: all.map(({ text }) => text).join(by),
      values: all.flatMap(({ values }) => values),
    })),
  ),
}));

const numbered = (text: string): string => text.split('<>').reduce((done, part, index) => `${done}$${index}${part}`);
const inPlace = (text: string, values: readonly Value[]): string =>
  text.split('<>').reduce((done, part, index) => done + sqlite.literal(values[index - 1] ?? null) + part);

test('the text of a statement is that of its pieces, with a placeholder for each value', () => {
  fc.assert(
    fc.property(sample, ({ statement, text, values }) => {
      for (const again of [1, 2]) {
        assert.deepEqual(
          rendered(sqlite, statement),
          { text: text.replaceAll('<>', '?'), strings: text.split('<>'), parameters: values },
          `${again}`,
        );
        assert.deepEqual(rendered(postgres, statement), { text: numbered(text), strings: text.split('<>'), parameters: values });
      }
      assert.equal(inlineLiterals(sqlite, statement), inPlace(text, values));
    }),
    { numRuns: 2000 },
  );
});

test('of values beyond the most that an engine takes, each is written out as it is', () => {
  const few = { ...sqlite, maxParameters: 2 };
  const of = (...values: readonly string[]) =>
    rendered(
      few,
      joined(
        values.map((each) => sql`${each}`),
        ', ',
      ),
    );
  assert.deepEqual(of('a', 'b', 'c'), { text: "?, ?, 'c'", strings: ['', ', ', ", 'c'"], parameters: ['a', 'b'] });
  assert.deepEqual(of('a', 'b', "d'"), { text: "?, ?, 'd'''", strings: ['', ', ', ", 'd'''"], parameters: ['a', 'b'] });
});

test('statements of ever new forms are rendered right, however many there were', () => {
  for (let index = 0; index <= MAX_STEPS; index++)
    assert.equal(
      rendered(sqlite, sql`select ${raw(String(index))} from t where id = ${index}`).text,
      `select ${index} from t where id = ?`,
    );
  assert.deepEqual(rendered(sqlite, sql`select ${raw('7')} from t where id = ${8}`).parameters, [8]);
});
