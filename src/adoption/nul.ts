const NUL = '\u0000';
const REPLACEMENT = '\uFFFD';

/** The value with U+FFFD in place of each U+0000, at any depth; the same value if it has none. */
export const withoutNul = <T>(value: T): T => (hasNul(value) ? (replaced(value) as T) : value); // the same shape

const hasNul = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes(NUL);
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  const entries: Iterable<readonly [unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  for (const [key, one] of entries) if (hasNul(key) || hasNul(one)) return true;
  return false;
};

const replaced = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(NUL, REPLACEMENT);
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(replaced);
  const entries: readonly (readonly [unknown, unknown])[] = value instanceof Map ? [...value] : Object.entries(value);
  const changed = entries.map(([key, one]) => [replaced(key), replaced(one)] as const);
  return value instanceof Map ? new Map(changed) : Object.fromEntries(changed);
};
