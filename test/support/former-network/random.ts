import fc from 'fast-check';
import { FORMER_FIELDS } from '../../../adopt/reader/fields/entities.ts';
import type { Field, Fields } from '../../../adopt/reader/fields/field.ts';
import type { FormerKind } from '../../../adopt/reader/fields/former-entities.ts';
import { exists, type FormerRelease } from './entity-writer.ts';

/** An entity as the reader is expected to give it. */
export type ExpectedEntity = { readonly id: string; readonly unknown: readonly string[] } & Readonly<Record<string, unknown>>;

export const FORMER_KINDS = Object.keys(FORMER_FIELDS) as FormerKind[];

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Ids that many entities have, so that references, which are texts, find some of them. */
const COMMON_IDS = ['a', 'b', 'c'];

/** Text as the former controller takes it: any, of any script, also with U+0000. A database has no half characters. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\0', '\uFEFFa', '__proto__', 'x'.repeat(5000)),
  fc.constantFrom(...COMMON_IDS),
);

/** Keys are never empty. */
const key = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), fc.constantFrom('__proto__', 'constructor', '0', 'a.b'));

/** Ids of all releases. */
const id = fc.oneof(fc.stringMatching(/^[0-9A-Za-z.-]{1,22}$/), fc.constantFrom(...COMMON_IDS));

const date = fc.date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

const jsonObject = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const anyOf = (field: Field, release: FormerRelease): fc.Arbitrary<unknown> => {
  const isNullable = field.orElse?.value === null;
  return isNullable ? fc.option(someOf(field, release), { nil: null }) : someOf(field, release);
};

const someOf = (field: Field, release: FormerRelease): fc.Arbitrary<unknown> => {
  switch (field.is) {
    case 'bool':
      return fc.boolean();
    case 'int':
      return field.bits === 32 ? fc.integer() : fc.maxSafeInteger();
    case 'text':
      return text;
    case 'time':
      return date;
    case 'bytes':
      return fc.uint8Array({ maxLength: 40 });
    case 'set':
      return fc.uniqueArray(text, { maxLength: 5 }).map((texts) => texts.toSorted(byBytes));
    case 'json':
      return fc.dictionary(key, jsonObject, { maxKeys: 4, noNullPrototype: true });
    case 'map':
      return fc
        .uniqueArray(fc.tuple(key, field.of ? someOf(field.of, release) : fc.constant(null)), { selector: ([name]) => name, maxLength: 3 })
        .map((entries) => new Map(entries.toSorted(([a], [b]) => byBytes(a, b))));
    case 'object':
      return fieldsOf(field.fields ?? {}, release);
    case 'derived':
      return fc.constant(undefined);
  }
};

/** Fields that a release does not have read as their defaults. */
const fieldsOf = (fields: Fields, release: FormerRelease): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, field]) => field.is !== 'derived')
        .map(([name, field]) => [name, exists(field.since, release) ? anyOf(field, release) : fc.constant(field.orElse?.value)]),
    ),
    { noNullPrototype: true },
  );

/** Entities of a kind, by ascending ids. */
const entitiesOf = (kind: FormerKind, release: FormerRelease): fc.Arbitrary<ExpectedEntity[]> =>
  fc
    .uniqueArray(
      fc.tuple(id, fieldsOf(FORMER_FIELDS[kind], release)).map(([own, values]): ExpectedEntity => ({ id: own, unknown: [], ...values })),
      { selector: (entity) => entity.id, maxLength: 4 },
    )
    .map((entities) => entities.toSorted((a, b) => byBytes(a.id, b.id)));

/** Any network of a release: some of its kinds, with any entities. */
export const formerNetworks = (release: FormerRelease): fc.Arbitrary<Partial<Record<FormerKind, ExpectedEntity[]>>> =>
  fc.record(Object.fromEntries(FORMER_KINDS.map((kind) => [kind, entitiesOf(kind, release)])), { requiredKeys: [], noNullPrototype: true });

/** Releases by their schema versions. */
export const formerReleases: fc.Arbitrary<FormerRelease> = fc.constantFrom(
  ...[38, 39, 40, 41, 42, 43, 44].map((schemaVersion) => ({ schemaVersion })),
  { schemaVersion: 44, is20: true },
);
