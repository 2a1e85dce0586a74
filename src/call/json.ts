import { ApiError } from '../contract/errors/index.ts';

/** Limits on the size of a JSON document. */
export interface JsonLimits {
  /** The name of the document in messages. */
  readonly name: string;
  /** Maximum nesting depth of objects and lists. */
  readonly depth: number;
  /** Maximum number of values, including objects and lists. */
  readonly values: number;
  /** Maximum number of object members in the whole document. */
  readonly keys: number;
  /** Maximum number of members of one object. Objects with many cost more than their members. Default: `keys`. */
  readonly keysOfObject?: number;
}

/** Limits for documents from HTTP or from the host. Real documents are far smaller: a policy with 10,000 role entries has 10,000 values. */
export const JSON_LIMITS: JsonLimits = Object.freeze({ name: 'the body', depth: 64, values: 50_000, keys: 20_000 });

/** Limits for documents with many entities, which require a right. */
export const LARGE_JSON_LIMITS: JsonLimits = Object.freeze({
  ...JSON_LIMITS,
  values: 2_000_000,
  keys: 1_000_000,
  keysOfObject: JSON_LIMITS.keys,
});

/** Counts of values and object members so far. */
interface Tally {
  readonly limits: JsonLimits;
  values: number;
  keys: number;
}

/**
 * Copies input from the host's own code into the form that it would have over HTTP: plain JSON that every store can hold. Dates become
 * text, and undefined properties are omitted.
 * @throws ApiError `COULD_NOT_PARSE_BODY` for values that JSON or a store cannot hold, or that exceed the limits
 */
export const jsonCopy = (value: unknown, limits: JsonLimits = JSON_LIMITS): unknown =>
  copyOf(value, limits.depth, { limits, values: 0, keys: 0 });

const copyOf = (value: unknown, depth: number, tally: Tally): unknown => {
  if (++tally.values > tally.limits.values) throw refused(tooMany('values', tally.limits));
  switch (typeof value) {
    case 'string':
      return storable(value);
    case 'number':
      if (!Number.isFinite(value)) throw refused(`${value} is not a JSON number`);
      return value;
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : copyOfObject(value, depth, tally);
    default:
      throw refused(`a ${typeof value} is not a JSON value`);
  }
};

const copyOfObject = (value: object, depth: number, tally: Tally): unknown => {
  if (value instanceof Date) return value.toJSON() === null ? null : storable(value.toJSON());
  if (depth === 0) throw refused(`it is nested more than ${tally.limits.depth} levels deep, or contains itself`);
  if (Array.isArray(value) && value.length > tally.limits.values) throw refused(tooMany('values', tally.limits)); // checked first: a sparse array may have any length
  if (Array.isArray(value)) return value.map((item) => copyOf(item, depth - 1, tally));
  // Only plain objects: the own properties of a Map, a promise or a buffer are not its content.
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (tag !== 'Object') throw refused(`a ${tag} is not a JSON value`);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (key === PROTOTYPE) throw refused(PROTOTYPE_REFUSED);
    if (++tally.keys > tally.limits.keys) throw refused(tooMany('keys', tally.limits));
    copy[storable(key)] = copyOf(item, depth - 1, tally);
  }
  return copy;
};

/** Assigning a key of this name sets the prototype of an object. It is refused rather than dropped, so that no data is lost. */
export const PROTOTYPE = '__proto__';
export const PROTOTYPE_REFUSED = `the body has a key ${PROTOTYPE}, which is not accepted at any depth`;

/** The message for a document that exceeds a limit. */
export const tooMany = (counted: 'values' | 'keys', limits: JsonLimits = JSON_LIMITS): string =>
  `${limits.name} has more than ${limits[counted]} ${counted}`;

const storable = (text: string): string => {
  if (!text.isWellFormed() || text.includes('\u0000')) throw refused('a string contains U+0000 or an unpaired surrogate');
  return text;
};

const refused = (message: string): ApiError => new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
