import type * as z from 'zod';
import { MAX_FILTER_LENGTH } from '../../src/query/tokens.ts';

/**
 * Characters of the longest query that is sent: as long as all headers of a request may be (`ServeLimits.maxHeaderBytes`), and as the
 * longest filter.
 */
const LONGEST = MAX_FILTER_LENGTH;

/** A query string that costs as much as it can. */
export interface HeavyQuery {
  /** What is heavy about it. */
  readonly shape: string;
  text(): string;
}

const repeated = (part: string): string => part.repeat(LONGEST / part.length);
const numbered = (part: (i: number) => string): string => {
  const parts: string[] = [];
  for (let [i, length] = [0, 0]; length < LONGEST; i++) length += parts[parts.push(part(i)) - 1]?.length ?? LONGEST;
  return parts.slice(0, -1).join('');
};

/** What no operation declares. */
const unknown: Readonly<Record<string, () => string>> = {
  'separators alone': () => repeated('&'),
  'semicolons alone': () => repeated(';'),
  'one unknown parameter many times': () => repeated('x=1&'),
  'many unknown parameters': () => numbered((i) => `x${i}=1&`),
  'malformed names': () => repeated('%&'),
  'malformed names beside semicolons': () => repeated('%;&'),
  'malformed names between semicolons': () => repeated('%;'),
  'names that are not UTF-8': () => repeated('%E0&'),
  'names that are escaped': () => repeated('%41&'),
};

/** Values of a parameter, each as long as may be: filters, orders, and what is neither. */
const values: Readonly<Record<string, () => string>> = {
  'a long name': () => repeated('a'),
  'a malformed escape': () => repeated('%'),
  'escapes of four bytes': () => repeated('%F0%9F%98%80'),
  digits: () => repeated('9'),
  'open parentheses': () => repeated('('),
  negations: () => repeated('not+'),
  'and, then or': () => `${repeated('true+and+true+or+').slice(4)}true`,
  comparisons: () => numbered((i) => `name="${i}"+or+`),
  'searches without regard to case': () => repeated('name+icontains"aA"+and+'),
  'a list of ids': () => `id+in[${numbered((i) => `"${i}",`).slice(16)}]`,
  'conditions on tags': () => numbered((i) => `tags.${String.fromCharCode(97 + (i % 26))}="v${i}"+or+`),
  'conditions on a set': () => numbered((i) => `allOf(roleAttributes)="${i}"+and+`),
  subqueries: () => repeated('isEmpty(from+identities+where+true)or+'),
  'an order by one field many times': () => `${repeated('name,').slice(10)}name`,
  'blanks in a filter': () => `true${repeated('+').slice(4)}`,
  'escapes in a text': () => `name="${repeated('%5C%5C').slice(12)}"`,
};

const of = (parameter: string): Readonly<Record<string, () => string>> => ({
  [`${parameter} many times`]: () => repeated(`${parameter}=a&`),
  [`${parameter} without value, many times`]: () => repeated(`${parameter}&`),
  [`${parameter} with many role attributes`]: () => numbered((i) => `${parameter}=%23a${i}&`),
  [`${parameter} with many ids`]: () => numbered((i) => `${parameter}=%40a${i}&`),
  ...Object.fromEntries(
    Object.entries(values).map(([shape, text]) => [`${parameter} with ${shape}`, () => `${parameter}=${text()}`.slice(0, LONGEST)]),
  ),
});

/** Queries for one operation: of unknown parameters, and for each parameter that it declares. */
export const heavyQueries = (schema: z.ZodObject): readonly HeavyQuery[] =>
  [unknown, ...Object.keys(schema.shape).map(of)].flatMap((shapes) => Object.entries(shapes).map(([shape, text]) => ({ shape, text })));
