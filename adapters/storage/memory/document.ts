/**
 * An immutable copy of a row, which can be returned without copying it again. It has the content that JSON would keep (no undefined fields, no
 * `-0`), so that a row reads the same from every store.
 */
import type { Row } from '../../../src/adapter-kit.ts';

// A copy of a row has the row's fields.
export const frozenRow = (row: Row): Row => frozen(row) as Row;

const frozen = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozen(item) ?? null));
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const kept = item === null || typeof item === 'string' || typeof item === 'boolean' ? item : frozen(item);
    // An assignment to `__proto__` would create no field of that name.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: kept, enumerable: true });
    else copy[name] = kept;
  }
  return Object.freeze(copy);
};
