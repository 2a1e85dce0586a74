/** A value in a filter. */
export type FilterValue = string | number | bigint | boolean | null | Date | readonly (string | number | bigint | Date)[];

/**
 * A template tag for filters with values. Each value becomes exactly one literal, so that it cannot change the rest of the filter: a string
 * is quoted and escaped; a `Date` becomes `datetime(...)`; a list becomes `[...]`, for `in`.
 *
 * ```ts
 * const { data } = await controller.api.identities.list({ filter: filter`name = ${name} and createdAt > ${since}` });
 * ```
 * @throws TypeError for a value that a filter cannot contain: undefined, a number that is not finite, an invalid date, an empty list, a
 * string with control characters other than line breaks, tabs and form feeds; also for a placeholder between quotes
 */
export const filter = (texts: readonly string[], ...values: readonly FilterValue[]): string => {
  const [first = '', ...others] = texts;
  let written = first;
  for (const [index, text] of others.entries()) {
    if (isInString(texts.slice(0, index + 1).join('""')))
      throw new TypeError('values are quoted automatically: remove the quotes around the placeholder');
    written += `${literalOf(values[index])}${text}`;
  }
  return written;
};

/** True if a part of a filter ends inside a string. */
const isInString = (part: string): boolean => part.replace(/"(?:[^"\\]|\\.)*"/gs, '').includes('"');

const literalOf = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value) && value.length > 0) return `[${value.map(literalOf).join(', ')}]`;
  if (value instanceof Date && /^\d{4}-/.test(isoOf(value))) return `datetime(${isoOf(value)})`;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new TypeError(
    `a value of a filter must be a string, a finite number, true, false, null, a valid Date, or a list of these, got ${describe(value)}`,
  );
};

const isoOf = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : date.toISOString());

const describe = (value: unknown): string => (Array.isArray(value) ? 'an empty list' : String(value));

const quoted = (text: string): string =>
  `"${text.replace(/["\\\0-\x1f]/g, (character) => {
    const escaped = ESCAPED.get(character);
    if (escaped === undefined)
      throw new TypeError(
        `a filter must not contain control characters except line breaks, tabs and form feeds, got U+${hexOf(character)}`,
      );
    return escaped;
  })}"`;

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase();
