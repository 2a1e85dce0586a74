/**
 * Random rows, predicates and orders of a sample kind, for proving that two ways of answering a question agree
 * (SQL and memory, a predicate and its negation). Values are drawn from small palettes of awkward ones, so that
 * questions and rows often meet.
 */
import fc from 'fast-check';
import {
  ELEMENT,
  type FieldRef,
  type FieldType,
  type Ordering,
  type Predicate,
  type Scalar,
  type SortKey,
} from '../../src/query/predicate.ts';
import type { KindSchema, Row } from '../../src/store/storage/port.ts';
import { anyText } from './texts.ts';

const field = <T extends FieldType>(type: T, ...path: [string, ...string[]]): FieldRef & { readonly type: T } => ({ path, type });

/** All that can be asked of a `sample`, besides the elements of its set `labels`. */
export const fieldTable = {
  kind: 'sample',
  fields: [
    field('string', 'id'),
    field('date', 'createdAt'),
    field('date', 'updatedAt'),
    field('string', 'name'),
    field('number', 'rank'),
    field('boolean', 'active'),
    field('date', 'seenAt'),
    field('number', 'nested', 'level'),
    field('boolean', 'nested', 'flag'),
  ],
  sets: ['labels'],
  /** `constructor` is here because every JavaScript object seems to have one. */
  tags: ['plain', 'has-dash', 'under_score', 'a.b', 'constructor'].map((key) => field('tag', 'tags', key)),
} as const;

/** How a `sample` is stored: columns for the top-level fields; `nested` and `tags` are reached through the document. */
export const sampleSchema: KindSchema = {
  kind: fieldTable.kind,
  columns: [
    { name: 'name', type: 'string', index: true },
    { name: 'rank', type: 'number', index: false },
    { name: 'active', type: 'boolean', index: false },
    { name: 'seenAt', type: 'date', index: true },
  ],
  sets: [...fieldTable.sets],
};

const ids = ['0', 'A', 'Z', 'a', 'b', 'a-1', 'a.1', 'a_1', 'sample-1', 'sample-2', 'sample-3', 'sample-4'];
// U+FF5E is below U+1F600 by code point, above it by UTF-16 unit; 'ı', 'ß' and 'ǆ' change more than their case in upper case.
// biome-ignore format: a list
const words = ['', 'a', 'A', 'b', 'Z', '_', '%', '\\', "'", '"', '`', 'a%b', 'a_b', 'axb', "it's", '\\"', '%%', '[a]', '*', 'é', 'É', 'e\u0301', 'ß', 'SS', 'ı', 'I', 'i', 'ǆ',
  '😀', '😁', '\uFF5E', 'a😀', 'a\uFF5E', '\u{10FFFF}', 'true', 'false', 'null', '5', '0.25', '-1', 'tail', 'tail ', ' ', '\n', '\t', 'alpha', 'ALPHA', 'Alpha beta', '2024-02-29T12:00:00.000Z'];
// The last ones have more digits than 15, or are written with an exponent by some.
const numbers = [0, 1, 2, 3, 5, 7, 10, 25, -1, -25, 0.25, 0.5, 2.5, -1.75, 65536, 2147483648, 0.30000000000000004, 2.5e21, -5e-7, 1e300];
const dates = [
  '1999-12-31T23:59:59.999Z',
  '2024-02-29T12:00:00.000Z',
  '2024-02-29T12:00:00.001Z',
  '2024-03-01T00:00:00.000Z',
  '2038-01-19T03:14:08.000Z',
];

// No U+0000 (which some databases cannot hold) and no half of a surrogate pair (which UTF-8 cannot say).
const wellFormed = anyText({ maxLength: 6 }).map((text) => text.replaceAll('\0', 'o'));
export const arbitraryText = (): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: wellFormed });
export const arbitraryNumber = (): fc.Arbitrary<number> => fc.constantFrom(...numbers);
export const arbitraryDate = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...dates),
    fc
      .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  );

const label = fc.oneof(fc.constantFrom(...ids), fc.constantFrom(...words));
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 4 });

/** A row in which every field but the fixed four may be null or missing. Its labels may be ids of other rows. */
export const arbitraryRow = (): fc.Arbitrary<Row> =>
  fc.record(
    {
      id: fc.constantFrom(...ids),
      version: fc.constant(1),
      createdAt: arbitraryDate(),
      updatedAt: arbitraryDate(),
      name: orNull(arbitraryText()),
      rank: orNull(arbitraryNumber()),
      active: orNull(fc.boolean()),
      seenAt: orNull(arbitraryDate()),
      nested: fc.record({ level: orNull(arbitraryNumber()), flag: orNull(fc.boolean()) }, { requiredKeys: [], noNullPrototype: true }),
      labels: fc.uniqueArray(label, { maxLength: 4 }),
      tags: fc.dictionary(
        fc.constantFrom(...fieldTable.tags.map((tag) => tag.path[1] ?? '')),
        fc.oneof(arbitraryText(), fc.boolean(), fc.constant(null)),
        { noNullPrototype: true },
      ),
    },
    { requiredKeys: ['id', 'version', 'createdAt', 'updatedAt'], noNullPrototype: true },
  );

/** Rows of different ids. */
export const arbitraryRows = (maxLength = ids.length): fc.Arbitrary<Row[]> =>
  fc.uniqueArray(arbitraryRow(), { selector: (row) => row.id, maxLength });

const textual = arbitraryText();
const scalarOf = (type: FieldType): fc.Arbitrary<Scalar> => {
  if (type === 'string') return textual;
  if (type === 'number') return fc.oneof(arbitraryNumber(), arbitraryNumber().map(String), textual);
  if (type === 'boolean') return fc.boolean();
  if (type === 'date') return arbitraryDate();
  return fc.oneof(textual, fc.boolean());
};

const ordering: fc.Arbitrary<Ordering> = fc.constantFrom('=', '<', '<=', '>', '>=');

/** A question about one single-valued field. Booleans are only asked for equality, as in the filter language. */
const aboutField = (field: FieldRef): fc.Arbitrary<Predicate> => {
  const value = scalarOf(field.type);
  const options: fc.Arbitrary<Predicate>[] = [
    fc.record({ op: fc.constant('isNull'), field: fc.constant(field) }),
    value.chain((value) =>
      fc.record({
        op: fc.constant('compare'),
        field: fc.constant(field),
        is: typeof value === 'boolean' ? fc.constant<Ordering>('=') : ordering,
        value: fc.constant(value),
      }),
    ),
    fc.record({ op: fc.constant('in'), field: fc.constant(field), values: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  ];
  if (field.type === 'string' || field.type === 'tag') {
    options.push(fc.record({ op: fc.constant('contains'), field: fc.constant(field), value: textual, fold: fc.boolean() }));
  }
  if (field.type === 'number') {
    const digits = fc.constantFrom('1', '5', '25', '-', '.', '.5', '0');
    options.push(fc.record({ op: fc.constant('contains'), field: fc.constant(field), value: digits, fold: fc.constant(false) }));
  }
  return fc.oneof(...options);
};

const anyField: fc.Arbitrary<Predicate> = fc.constantFrom<FieldRef>(...fieldTable.fields, ...fieldTable.tags).chain(aboutField);

const sizes = {
  op: fc.constant('size' as const),
  set: fc.constantFrom(...fieldTable.sets),
  is: ordering,
  value: fc.integer({ min: 0, max: 5 }),
};
const aboutSet: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    op: fc.constantFrom('overlaps', 'covers', 'coveredBy'),
    set: fc.constantFrom(...fieldTable.sets),
    values: fc.uniqueArray(label, { maxLength: 3 }),
  }),
  fc.record({
    op: fc.constant('some'),
    set: fc.constantFrom(...fieldTable.sets),
    where: fc.oneof(
      aboutField(ELEMENT),
      aboutField(ELEMENT).map((term): Predicate => ({ op: 'not', term })),
    ),
  }),
  fc.record(sizes),
  fc.record({
    ...sizes,
    of: fc.record({
      kind: fc.constant(fieldTable.kind),
      where: fc.oneof(
        anyField,
        anyField.map((term): Predicate => ({ op: 'not', term })),
      ),
    }),
  }),
);

/** A question of any shape about a `sample`, some levels deep. Its `size ... of` asks of samples whose ids stand in `labels`. */
export const arbitraryPredicate = (): fc.Arbitrary<Predicate> =>
  fc.letrec<{ node: Predicate }>((tie) => {
    const terms = fc.array(tie('node'), { minLength: 2, maxLength: 3 });
    return {
      node: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'predicate' },
        { weight: 6, arbitrary: anyField },
        { weight: 3, arbitrary: aboutSet },
        { weight: 1, arbitrary: fc.constantFrom<Predicate>({ op: 'all' }, { op: 'none' }) },
        { weight: 3, arbitrary: fc.record({ op: fc.constantFrom('and', 'or'), terms }) },
        { weight: 3, arbitrary: fc.record({ op: fc.constant('not'), term: tie('node') }) },
      ),
    };
  }).node;

/** An order by up to three different fields. */
export const arbitrarySort = (): fc.Arbitrary<SortKey[]> =>
  fc.uniqueArray(fc.record({ field: fc.constantFrom<FieldRef>(...fieldTable.fields), descending: fc.boolean() }), {
    selector: (key) => key.field,
    maxLength: 3,
  });
