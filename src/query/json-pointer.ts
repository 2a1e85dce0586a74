/**
 * Parses a non-empty JSON Pointer (RFC 6901, section 3) to its keys, outermost first.
 * @returns undefined if it is invalid
 */
export const readPointer = (text: string): readonly string[] | undefined =>
  /^(\/([^~/]|~[01])*)+$/.test(text) ? text.slice(1).split('/').map(keyOf) : undefined;

/** Unescapes a token of a JSON Pointer (RFC 6901, section 4). */
export const keyOf = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The value at a path in a JSON document; undefined if there is none. */
export const valueAtPointer = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || (Array.isArray(value) && !INDEX.test(key))) return undefined;
    return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }, document);

const INDEX = /^(0|[1-9]\d*)$/;
