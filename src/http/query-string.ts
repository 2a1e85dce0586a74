import * as z from 'zod';
import type { Operation } from '../contract/api/kit/operation.ts';
import { invalidField } from '../contract/errors/index.ts';
import { describeUnknown } from '../contract/options.ts';
import { copyText } from '../runtime/platform/copy-text.ts';

/** The treatment of a repeated parameter: use the first value, reject the request, or use all values. */
type OnRepeat = 'first' | 'refused' | 'all';

/** The query parameters that an operation accepts. */
export interface QueryParameters {
  /** The declared parameters, by name. */
  readonly names: ReadonlyMap<string, OnRepeat>;
  /** The id of the operation, if undeclared parameters are rejected. If undefined, they are ignored. */
  readonly strictFor?: string | undefined;
}

/**
 * The query parameters of an operation, whose surfaces determine how strictly a query is parsed.
 * @returns undefined if the query can be ignored
 */
export const queryParameters = ({
  operationId,
  query,
  surfaces,
}: Pick<Operation, 'operationId' | 'query' | 'surfaces'>): QueryParameters | undefined => {
  const single = surfaces.some(({ refusesRepeated }) => refusesRepeated) ? 'refused' : 'first';
  const strictFor = surfaces.some(({ refusesUnknown }) => refusesUnknown) ? operationId : undefined;
  if (!query && strictFor === undefined) return undefined;
  const shape = Object.entries(query?.shape ?? {});
  return { names: new Map(shape.map(([name, value]) => [name, acceptsList(value as z.ZodType) ? 'all' : single])), strictFor }; // a shape holds schemas
};

/**
 * The declared parameters of a query, as strings: the first value of each, or all if it may be repeated. Names are case-sensitive.
 * Undeclared parameters are rejected with `strictFor`, otherwise ignored. `;` is not a separator and must be escaped: silently dropping a
 * filter after it would return the whole list.
 * @throws ApiError 400 `COULD_NOT_VALIDATE` for a declared parameter with a malformed escape, an unescaped `;` or a value that no store can
 * hold (U+0000), and for repeated or undeclared parameters that are rejected
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
    const rawName = mark < 0 ? pair : pair.slice(0, mark);
    const name = decodeName(rawName);
    const repeated = name === undefined ? undefined : names.get(name);
    if (name === undefined || repeated === undefined) {
      if (strictFor !== undefined && pair !== '') throw unknown(name ?? rawName, strictFor, names);
      continue;
    }
    const previous = values[name];
    if (previous !== undefined && repeated === 'refused') throw invalidField(name, `${name} in query occurs more than once`, pair);
    if (previous !== undefined && repeated === 'first') continue;
    const raw = mark < 0 ? '' : pair.slice(mark + 1);
    const value = formDecoded(raw);
    if (value === undefined) throw invalidField(name, `${name} in query is not percent-encoded UTF-8 text`, raw);
    if (!isStorable(value)) throw invalidField(name, `${name} in query contains a character that cannot be stored`, '');
    if (Array.isArray(previous)) previous.push(value);
    else values[name] = repeated === 'all' ? [value] : value;
  }
  return values;
};

/** Rejects an unescaped `;` next to a declared parameter, because it may be meant as a separator or as a character of the value. */
const refuseSemicolon = (pair: string, declared: QueryParameters['names']): void => {
  for (const part of pair.split(';')) {
    const mark = part.indexOf('=');
    const name = decodeName(mark < 0 ? part : part.slice(0, mark));
    if (name !== undefined && declared.has(name))
      throw invalidField(name, `${name} in query is next to a semicolon, which must be written as %3B`, pair);
  }
};

const unknown = (name: string, operationId: string, names: QueryParameters['names']) =>
  invalidField(name.slice(0, 100), `${operationId} has no parameter ${describeUnknown(name, [...names.keys()])}`, undefined);

/** Matches an escape that is malformed or not of an ASCII character. No declared name contains one. */
const NON_ASCII_ESCAPE = /%(?![0-7][0-9A-Fa-f])/;

/**
 * Undefined for a name that cannot be a declared one. Avoids exceptions, because thousands of malformed names in a query would cost as many
 * stack traces.
 */
const decodeName = (text: string): string | undefined => (NON_ASCII_ESCAPE.test(text) ? undefined : formDecoded(text));

/** True if a schema, without its wrappers, is an array. */
const acceptsList = (schema: z.ZodType): boolean => {
  if (schema instanceof z.ZodArray) return true;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return acceptsList(schema.unwrap() as z.ZodType); // zod types it as its core type
  }
  if (schema instanceof z.ZodPipe) return acceptsList(schema.in as z.ZodType); // likewise
  return schema instanceof z.ZodUnion && schema.options.some((option) => acceptsList(option as z.ZodType)); // likewise
};

/** The fields of `application/x-www-form-urlencoded`, in the order in which their names first occur, with a list for a repeated name. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a form (URL Living Standard, 5.1), but rejects malformed escapes, because their meaning is unknown.
 * @param maxFields maximum number of fields
 */
export const formOf = (text: string, maxFields: number): FormFields | 'tooMany' | 'malformed' => {
  const pairs = text.split('&', maxFields + 1).filter((pair) => pair !== '');
  if (pairs.length > maxFields) return 'tooMany';
  const fields = new Map<string, string | string[]>();
  for (const pair of pairs) {
    const mark = pair.indexOf('=');
    const name = formDecoded(mark < 0 ? pair : pair.slice(0, mark));
    // Logins keep some of them.
    const value = mark < 0 ? '' : formDecoded(copyText(pair.slice(mark + 1)));
    if (name === undefined || value === undefined) return 'malformed';
    const previous = fields.get(name);
    if (previous === undefined) fields.set(name, value);
    else if (typeof previous === 'string') fields.set(name, [previous, value]);
    else previous.push(value);
  }
  return Object.fromEntries(fields);
};

/** Decodes a name or a value in a form or a query, in which `+` is a space. Undefined for malformed escapes and invalid UTF-8. */
export const formDecoded = (text: string): string | undefined => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
};

/** True if every store can hold the text: SQL engines reject U+0000, and a lone surrogate cannot be encoded in UTF-8. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
