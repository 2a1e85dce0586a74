import * as z from 'zod';
import type { Operation } from '../api/kit/operation.ts';
import { invalidField } from '../errors/index.ts';
import { unknownName } from '../options.ts';
import { isStorable } from './router.ts';

/** The treatment of a repeated parameter: its first value counts, it is refused, or all values count. */
type Repeated = 'first' | 'refused' | 'all';

/** The query that an operation takes. */
export interface QueryParameters {
  /** The declared parameters by name. */
  readonly names: ReadonlyMap<string, Repeated>;
  /** The name of the operation, if undeclared parameters are to be refused; by default they are ignored. */
  readonly strictFor?: string | undefined;
}

/**
 * The query of an operation. Its surfaces say how strictly it is read.
 * @returns undefined if nothing in a query matters
 */
export const queryParameters = ({
  operationId,
  query,
  surfaces,
}: Pick<Operation, 'operationId' | 'query' | 'surfaces'>): QueryParameters | undefined => {
  const one = surfaces.some(({ refusesRepeated }) => refusesRepeated) ? 'refused' : 'first';
  const strictFor = surfaces.some(({ refusesUnknown }) => refusesUnknown) ? operationId : undefined;
  if (!query && strictFor === undefined) return undefined;
  const shape = Object.entries(query?.shape ?? {});
  return { names: new Map(shape.map(([name, value]) => [name, takesMany(value as z.ZodType) ? 'all' : one])), strictFor }; // a shape holds schemas
};

/**
 * The declared parameters of a query, as strings: the first value of each, or all if it may be repeated. Names are case-sensitive; others are
 * ignored, or refused if `declared` says so. `;` is not a separator and must be escaped: silently dropping a filter after it would return the whole list.
 * @throws ApiError 400 `COULD_NOT_VALIDATE` for a declared parameter with a malformed escape or a bare `;`, for one that is repeated and must not be,
 * for an unknown one that is refused, and for a value that no store can hold (U+0000)
 */
export const parseQuery = (query: string, { names, strictFor }: QueryParameters): Readonly<Record<string, string | readonly string[]>> => {
  const values: Record<string, string | string[]> = {};
  for (let from = 0; from < query.length; ) {
    let to = query.indexOf('&', from);
    if (to < 0) to = query.length;
    const pair = query.slice(from, to);
    from = to + 1;
    if (pair.includes(';')) refuseSemicolon(pair, names);
    const mark = pair.indexOf('=');
    const written = mark < 0 ? pair : pair.slice(0, mark);
    const name = decodeName(written);
    const repeated = name === undefined ? undefined : names.get(name);
    if (name === undefined || repeated === undefined) {
      if (strictFor !== undefined && pair !== '') throw unknown(name ?? written, strictFor, names);
      continue;
    }
    const known = values[name];
    if (known !== undefined && repeated === 'refused') throw invalidField(name, `${name} in query is there more than once`, pair);
    if (known !== undefined && repeated === 'first') continue;
    const raw = mark < 0 ? '' : pair.slice(mark + 1);
    const value = formDecoded(raw);
    if (value === undefined) throw invalidField(name, `${name} in query is no text in UTF-8, percent-encoded`, raw);
    if (!isStorable(value)) throw invalidField(name, `${name} in query holds a character that cannot be stored`, '');
    if (Array.isArray(known)) known.push(value);
    else values[name] = repeated === 'all' ? [value] : value;
  }
  return values;
};

/** Refuses `;` beside a declared parameter, because it may be meant as a separator or as a character. */
const refuseSemicolon = (pair: string, declared: QueryParameters['names']): void => {
  for (const part of pair.split(';')) {
    const mark = part.indexOf('=');
    const name = decodeName(mark < 0 ? part : part.slice(0, mark));
    if (name !== undefined && declared.has(name))
      throw invalidField(name, `${name} in query stands beside a semicolon, which must be written as %3B`, pair);
  }
};

const unknown = (name: string, operationId: string, names: QueryParameters['names']) =>
  invalidField(name.slice(0, 100), `${operationId} has no parameter ${unknownName(name, [...names.keys()])}`, undefined);

/** An escape of anything but an ASCII character: malformed, or a character that no declared name contains. */
const NO_NAME = /%(?![0-7][0-9A-Fa-f])/;

/** Undefined for an undeclared name. Throws nothing on the way: thousands of malformed names in one query would cost as many stack traces. */
const decodeName = (text: string): string | undefined => (NO_NAME.test(text) ? undefined : formDecoded(text));

/** True if a schema is an array below its wrappers. */
const takesMany = (schema: z.ZodType): boolean => {
  if (schema instanceof z.ZodArray) return true;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return takesMany(schema.unwrap() as z.ZodType); // zod's core type, which every schema has
  }
  if (schema instanceof z.ZodPipe) return takesMany(schema.in as z.ZodType); // the same
  return schema instanceof z.ZodUnion && schema.options.some((option) => takesMany(option as z.ZodType)); // the same
};

/** The fields of `application/x-www-form-urlencoded`, in order of their names' first occurrence; a list for a name that is repeated. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a form (URL Living Standard, 5.1), except that malformed escapes are refused, because their meaning is unknown.
 * @param most fields
 */
export const formOf = (text: string, most: number): FormFields | 'tooMany' | 'malformed' => {
  const pairs = text.split('&', most + 1).filter((pair) => pair !== '');
  if (pairs.length > most) return 'tooMany';
  const fields = new Map<string, string | string[]>();
  for (const pair of pairs) {
    const mark = pair.indexOf('=');
    const name = formDecoded(mark < 0 ? pair : pair.slice(0, mark));
    const value = mark < 0 ? '' : formDecoded(pair.slice(mark + 1));
    if (name === undefined || value === undefined) return 'malformed';
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (typeof before === 'string') fields.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(fields);
};

/** A name or a value of a form, which are those of a query, too: `+` is a space. Undefined for a malformed escape, and for one that gives no UTF-8. */
export const formDecoded = (text: string): string | undefined => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
};
