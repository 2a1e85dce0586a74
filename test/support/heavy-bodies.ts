import type * as z from 'zod';
import { JSON_LIMITS } from '../../src/call/json.ts';

/** A body that costs as much as it can. */
export interface HeavyBody {
  /** What is heavy about it. */
  readonly shape: string;
  readonly text: string;
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
  'a list of numbers': listOf('1'),
  'a list of fractions': listOf('1.5e-7'),
  'a list of empty objects': listOf('{}'),
  'a list of empty lists': listOf('[]'),
  'a list of objects': listOf('{"a":1}'),
  'a list of texts': listOf('"a"'),
  'a list of different texts': `[${numbered(110_000, (i) => `"${i.toString(36)}x"`)}]`,
  'many keys': `{${numbered(80_000, (i) => `"k${i.toString(36)}":1`)}}`,
  'many keys that are numbers': `{${numbered(80_000, (i) => `"${i * 7919}":1`)}}`,
  'one key many times': `{${repeated('"a":1,').slice(0, -1)}}`,
  'keys with escapes': `{${numbered(50_000, (i) => `"\\u0061${i.toString(36)}":1`)}}`,
  'lists in each other': repeated('[', MEBIBYTE / 2) + repeated(']', MEBIBYTE / 2),
  'objects in each other': `${repeated('{"a":', MEBIBYTE / 2)}1${'}'.repeat(MEBIBYTE / 10)}`,
  'sixty lists in each other, many times': listOf('['.repeat(60) + ']'.repeat(60)),
  'as many values as may be': listOf('{}', JSON_LIMITS.values - 1),
  'as many keys as may be': `{${numbered(JSON_LIMITS.keys, (i) => `"k${i.toString(36)}":[1]`)}}`,
  'a long text': `"${repeated('a')}"`,
  'a text of escapes': `"${repeated('\\u00e9')}"`,
  'a text of quotes': `"${repeated('\\"')}"`,
  'a text of backslashes': `"${repeated('\\\\')}"`,
  'a text of three-byte characters': `"${repeated('€')}"`,
  'a long number': repeated('1'),
  'a long fraction': `1.${repeated('1')}`,
  blanks: `${repeated(' ')}1`,
  'no JSON': repeated('x'),
  'an open text': `"${repeated('a')}`,
  'an open list': `[${repeated('1,')}`,
}).map(([shape, text]) => ({ shape, text }));

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
const PEM = (label: string, line: string) => `-----BEGIN ${label}-----\n${repeated(line, MEBIBYTE - 4096)}\n-----END ${label}-----\n`;

/** Values for one place of a schema: too many, as many as may be of good and of bad ones, and long ones. */
const heavyValues = (schema: z.core.$ZodType): readonly HeavyBody[] => {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
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
      const { most } = def as unknown as { most: number };
      const each = heavyItems(def.element, most);
      return [...each, { shape: 'more elements than may be', text: listOf('""', most + 1) }, { shape: 'numbers', text: listOf('1') }];
    }
    case 'record':
      return [1, '"x"', '{}', '[[]]', 'null'].map((value) => ({
        shape: `names for ${value}`,
        text: `{${numbered(10_000, (i) => `"name-${i}":${value}`)}}`,
      }));
    case 'unknown':
      return documents.filter(({ text }) => text.length < MEBIBYTE);
    case 'object':
      return Object.entries(def.shape).flatMap(([name, part]) =>
        heavyValues(part).map(({ shape, text }) => ({ shape: `${name}: ${shape}`, text: `{${JSON.stringify(name)}:${text}}` })),
      );
    case 'string':
      return [
        ...long.map((part) => ({
          shape: `long text of ${JSON.stringify(part)}`,
          text: JSON.stringify(repeated(part, (MEBIBYTE - 8192) / 2)),
        })),
        ...['CERTIFICATE', 'CERTIFICATE REQUEST'].flatMap((label) => [
          { shape: `a long ${label}`, text: JSON.stringify(PEM(label, `${'A'.repeat(63)}\n`)) },
          { shape: `a ${label} of sequences`, text: JSON.stringify(PEM(label, `${'MIIB'.repeat(16)}\n`)) },
          {
            shape: `many of ${label}`,
            text: JSON.stringify(repeated(`-----BEGIN ${label}-----\nMAA=\n-----END ${label}-----\n`, MEBIBYTE / 2)),
          },
        ]),
      ];
    default:
      return [];
  }
};

const heavyItems = (element: z.core.$ZodType, most: number): readonly HeavyBody[] => {
  const items = [
    '1',
    'null',
    '{}',
    '""',
    '"#a"',
    '"@x"',
    '"aa:bb"',
    '"x"',
    '{"typeId":"MAC","id":"x","macAddresses":["a"]}',
    '{"a":1}',
    '{"Type":"Linux","Versions":["1.x"]}',
    '{"osType":"Linux","path":"/x"}',
    '{"serviceId":"x","configId":"y"}',
    '{"typeId":"nope"}',
  ];
  const different = (make: (i: number) => string) => `[${numbered(most, make)}]`;
  const budget = Math.min(most, Math.floor(JSON_LIMITS.values / 4));
  return [
    ...items.map((item) => ({ shape: `${item} as often as may be`, text: listOf(item, budget) })),
    { shape: 'different attributes', text: different((i) => `"#role-${i}"`) },
    { shape: 'different ids', text: different((i) => `"@role-${i}"`) },
    { shape: 'different texts', text: different((i) => `"role-${i}"`) },
    { shape: 'different addresses', text: different((i) => `"${i.toString(16)}"`) },
    ...heavyValues(element)
      .slice(0, 40)
      .map(({ shape, text }) => ({ shape: `[${shape}]`, text: `[${text}]` })),
  ];
};

/** For each field of a body, a good body with something heavy there. */
export const heavyBodies = (schema: z.ZodType, good: unknown): readonly HeavyBody[] => {
  const base = typeof good === 'object' && good !== null && !Array.isArray(good) ? good : {};
  return heavyValues(schema).map(({ shape, text }) => {
    if (!text.startsWith('{') || Array.isArray(good)) return { shape, text };
    // The heavy member last, for the last one counts.
    const members = JSON.stringify(base).slice(1, -1);
    return { shape, text: members === '' ? text : `{${members},${text.slice(1)}` };
  });
};
