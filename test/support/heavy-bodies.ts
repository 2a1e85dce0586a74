import type * as z from 'zod';
import { JSON_LIMITS } from '../../src/call/json.ts';

/** A body that costs as much as it can. */
export interface HeavyBody {
  /** What is heavy about it. */
  readonly shape: string;
  /** At most a mebibyte. */
  text(): string;
}

export const MEBIBYTE = 1024 * 1024;

const repeated = (part: string, bytes = MEBIBYTE - 64): string => part.repeat(Math.floor(bytes / part.length));
const listOf = (item: string, count = Number.POSITIVE_INFINITY): string => {
  const most = Math.min(count, Math.floor((MEBIBYTE - 64) / (item.length + 1)));
  return `[${`${item},`.repeat(most).slice(0, -1)}]`;
};
const numbered = (count: number, member: (i: number) => string): string => Array.from({ length: count }, (_, i) => member(i)).join();

/** JSON of all shapes, of which none is what an operation wants. Whoever sends them pays nothing for them. */
export const documents: readonly HeavyBody[] = Object.entries({
  'a list of numbers': () => listOf('1'),
  'a list of fractions': () => listOf('1.5e-7'),
  'a list of empty objects': () => listOf('{}'),
  'a list of empty lists': () => listOf('[]'),
  'a list of objects': () => listOf('{"a":1}'),
  'a list of texts': () => listOf('"a"'),
  'a list of different texts': () => `[${numbered(110_000, (i) => `"${i.toString(36)}x"`)}]`,
  'many keys': () => `{${numbered(80_000, (i) => `"k${i.toString(36)}":1`)}}`,
  'many keys that are numbers': () => `{${numbered(80_000, (i) => `"${i * 7919}":1`)}}`,
  'one key many times': () => `{${repeated('"a":1,').slice(0, -1)}}`,
  'keys with escapes': () => `{${numbered(50_000, (i) => `"\\u0061${i.toString(36)}":1`)}}`,
  'lists in each other': () => repeated('[', MEBIBYTE / 2) + repeated(']', MEBIBYTE / 2),
  'objects in each other': () => `${repeated('{"a":', MEBIBYTE / 2)}1${'}'.repeat(MEBIBYTE / 10)}`,
  'sixty lists in each other, many times': () => listOf('['.repeat(60) + ']'.repeat(60)),
  'as many values as may be': () => listOf('{}', JSON_LIMITS.values - 1),
  'as many keys as may be': () => `{${numbered(JSON_LIMITS.keys, (i) => `"k${i.toString(36)}":[1]`)}}`,
  'a long text': () => `"${repeated('a')}"`,
  'a text of escapes': () => `"${repeated('\\u00e9')}"`,
  'a text of quotes': () => `"${repeated('\\"')}"`,
  'a text of backslashes': () => `"${repeated('\\\\')}"`,
  'a text of three-byte characters': () => `"${repeated('€')}"`,
  'a long number': () => repeated('1'),
  'a long fraction': () => `1.${repeated('1')}`,
  blanks: () => `${repeated(' ')}1`,
  'no JSON': () => repeated('x'),
  'an open text': () => `"${repeated('a')}`,
  'an open list': () => `[${repeated('1,')}`,
}).map(([shape, text]) => ({ shape, text: () => text().slice(0, MEBIBYTE) }));

const long = [
  'a',
  ' ',
  '1',
  '/',
  '.',
  '-',
  '%',
  '#',
  '@',
  ':',
  ',',
  '"',
  '\n',
  '😀',
  'é',
  'a.',
  '1.',
  '0 ',
  '||',
  '*.',
  'MII',
  '1h',
  'https://',
];
const pem = (label: string, line: string): string =>
  `-----BEGIN ${label}-----\n${repeated(line, MEBIBYTE - 100_000)}\n-----END ${label}-----\n`;

const longTexts: readonly HeavyBody[] = [
  ...long.map((part) => ({
    shape: `long text of ${JSON.stringify(part)}`,
    text: () => JSON.stringify(repeated(part, MEBIBYTE / 2 - 8192)),
  })),
  ...['CERTIFICATE', 'CERTIFICATE REQUEST'].flatMap((label) => [
    { shape: `a long ${label}`, text: () => JSON.stringify(pem(label, `${'A'.repeat(63)}\n`)) },
    { shape: `a ${label} of sequences`, text: () => JSON.stringify(pem(label, `${'MIIB'.repeat(16)}\n`)) },
    {
      shape: `many of ${label}`,
      text: () => JSON.stringify(repeated(`-----BEGIN ${label}-----\nMAA=\n-----END ${label}-----\n`, MEBIBYTE / 2)),
    },
  ]),
];

const within = (bodies: readonly HeavyBody[], shape: (shape: string) => string, wrap: (text: string) => string): readonly HeavyBody[] =>
  bodies.map((body) => ({ shape: shape(body.shape), text: () => wrap(body.text()) }));

/** Values for one place of a schema: too many, as many as may be of good and of bad ones, and long ones. */
const heavyValues = (schema: z.core.$ZodType): readonly HeavyBody[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema is one of zod's
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return heavyValues(def.innerType);
    case 'pipe':
      return [...heavyValues(def.in), ...heavyValues(def.out)];
    case 'union':
      return def.options.flatMap(heavyValues);
    case 'array': {
      const { most } = def as unknown as { readonly most: number }; // lists of input have a bound
      const lists: readonly HeavyBody[] = [
        { shape: 'more elements than may be', text: () => listOf('""', most + 1) },
        { shape: 'numbers', text: () => listOf('1') },
      ];
      return [
        ...heavyItems(most),
        ...lists,
        ...within(
          heavyValues(def.element),
          (shape) => `[${shape}]`,
          (text) => `[${text}]`,
        ),
      ];
    }
    case 'record':
      return ['1', '"x"', '{}', '[[]]', 'null'].map((value) => ({
        shape: `names for ${value}`,
        text: () => `{${numbered(10_000, (i) => `"name-${i}":${value}`)}}`,
      }));
    case 'unknown':
      return documents;
    case 'object':
      return Object.entries(def.shape).flatMap(([name, part]) =>
        within(
          heavyValues(part),
          (shape) => `${name}: ${shape}`,
          (text) => `{${JSON.stringify(name)}:${text}}`,
        ),
      );
    case 'string':
      return longTexts;
    default:
      return [];
  }
};

const ITEMS = [
  ...['1', 'null', '{}', '""', '"#a"', '"@x"', '"aa:bb"', '{"a":1}', '{"typeId":"nope"}', '{"serviceId":"x","configId":"y"}'],
  ...['{"typeId":"MAC","id":"x","macAddresses":["a"]}', '{"Type":"Linux","Versions":["1.x"]}', '{"osType":"Linux","path":"/x"}'],
];

const heavyItems = (most: number): readonly HeavyBody[] => [
  ...ITEMS.map((item) => ({ shape: `${item} as often as may be`, text: () => listOf(item, Math.min(most, JSON_LIMITS.keys / 4)) })),
  ...['#role-', '@role-', 'role-', ''].map((prefix) => ({
    shape: `different texts with ${prefix}`,
    text: () => `[${numbered(most, (i) => `"${prefix}${i.toString(16)}"`)}]`,
  })),
];

/** For each field of a body, a good body with something heavy there. */
export const heavyBodies = (schema: z.ZodType, good: unknown): readonly HeavyBody[] => {
  const members = typeof good === 'object' && good !== null && !Array.isArray(good) ? JSON.stringify(good).slice(1, -1) : '';
  // The heavy member last, for the last one counts.
  const beside = (text: string) => (members === '' || !text.startsWith('{') ? text : `{${members},${text.slice(1)}`);
  return within(
    heavyValues(schema),
    (shape) => shape,
    (text) => beside(text).slice(0, MEBIBYTE),
  );
};
