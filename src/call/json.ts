import { ApiError } from '../errors/index.ts';

/** Objects and lists within each other, at most: as in request bodies. */
const MAX_DEPTH = 64;

/**
 * A copy of what a host's own code hands in, as it would have come over HTTP: plain JSON that every store can hold. Dates become
 * text, properties that are undefined are left out.
 * @throws ApiError `COULD_NOT_PARSE_BODY` for what JSON or a store cannot hold
 */
export const jsonCopy = (value: unknown, depth = MAX_DEPTH): unknown => {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed() || value.includes('\u0000')) throw refused('a text holds U+0000 or half of a surrogate pair');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw refused(`${value} is no number of JSON`);
      return value;
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : copyOf(value, depth);
    default:
      throw refused(`a ${typeof value} is no value of JSON`);
  }
};

const copyOf = (value: object, depth: number): unknown => {
  if (depth === 0) throw refused(`it is nested more than ${MAX_DEPTH} levels deep, or holds itself`);
  if (Array.isArray(value)) return value.map((item) => jsonCopy(item, depth - 1));
  if (value instanceof Date) return jsonCopy(value.toJSON());
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined && key !== '__proto__') copy[String(jsonCopy(key))] = jsonCopy(item, depth - 1);
  }
  return copy;
};

const refused = (message: string): ApiError => new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
