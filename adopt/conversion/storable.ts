/** Removes values that databases, snapshots and requests cannot hold from former entities. */

const NUL = '\u0000';
const REPLACEMENT = '\uFFFD';
/** A key that no JSON may have here, because careless code would take it for the prototype of an object. */
const PROTOTYPE = '__proto__';

/** The value with U+FFFD in place of each U+0000, at any depth; the same value if it has none. */
export const withoutNul = <T>(value: T): T => (isFound(value, hasNul) ? (changed(value, replaced, () => true) as T) : value); // the same shape

/** The value without keys of objects that are `__proto__`, at any depth; the same value if it has none. */
export const withoutPrototypeKeys = <T>(value: T): T =>
  isFound(value, () => false, isPrototype)
    ? (changed(
        value,
        (text) => text,
        (key) => !isPrototype(key),
      ) as T)
    : value; // the same shape

const hasNul = (text: string): boolean => text.includes(NUL);
const replaced = (text: string): string => text.replaceAll(NUL, REPLACEMENT);
const isPrototype = (key: string): boolean => key === PROTOTYPE;

const isLeaf = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array;

/** True if a text or a key, at any depth, meets its condition. Runs on every value of a network, so it does not create lists. */
const isFound = (value: unknown, inText: (text: string) => boolean, inKey: (key: string) => boolean = inText): boolean => {
  if (typeof value === 'string') return inText(value);
  if (isLeaf(value)) return false;
  if (Array.isArray(value)) return value.some((one) => isFound(one, inText, inKey));
  if (value instanceof Map) {
    for (const [key, one] of value) if (inText(String(key)) || isFound(one, inText, inKey)) return true;
    return false;
  }
  const fields = value as Readonly<Record<string, unknown>>; // an object, as all else is excluded
  for (const key in fields) if (Object.hasOwn(fields, key) && (inKey(key) || isFound(fields[key], inText, inKey))) return true;
  return false;
};

const changed = (value: unknown, text: (text: string) => string, keeps: (key: string) => boolean): unknown => {
  if (typeof value === 'string') return text(value);
  if (isLeaf(value)) return value;
  if (Array.isArray(value)) return value.map((one) => changed(one, text, keeps));
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [text(String(key)), changed(one, text, keeps)]));
  const entries = Object.entries(value as object).filter(([key]) => keeps(key));
  return Object.fromEntries(entries.map(([key, one]) => [text(key), changed(one, text, keeps)]));
};
