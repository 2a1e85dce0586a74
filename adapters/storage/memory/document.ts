/**
 * Immutable copies of rows, which can be returned without copying them again. They contain only what a round trip through JSON preserves
 * (no undefined fields, no `-0`), so that every store returns the same row.
 */
import type { Row } from '../../../src/adapter-kit.ts';

/** @param before the replaced row, whose unchanged values are reused, because they are frozen */
export const frozenRow = (row: Row, before?: Row): Row => frozenCopy(row, before) as Row; // a copy of a row has its type

const frozenCopy = (value: unknown, before?: Row): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item) ?? null));
  // A spread is much faster than one assignment for each field, and also copies a field `__proto__`.
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) {
    const item = copy[name];
    if (item === undefined) return frozenCopy(definedFields(copy), before);
    if (typeof item === 'number' || (typeof item === 'object' && item !== before?.[name])) copy[name] = frozenCopy(item);
  }
  return Object.freeze(copy);
};

/** Creates a new object, because deleting a field would slow down access to all others. */
const definedFields = (value: object): object => Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
