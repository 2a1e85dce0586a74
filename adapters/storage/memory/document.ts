/**
 * An immutable copy of a row, which can be returned without copying it again. It holds what would survive a round trip through JSON (no undefined fields, no
 * `-0`), so that every store returns the same row.
 */
import type { Row } from '../../../src/adapter-kit.ts';

export const frozenRow = (row: Row): Row => frozen(row) as Row; // a copy of a row has its type

const frozen = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozen(item) ?? null));
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined) define(copy, name, frozen(item));
  }
  return Object.freeze(copy);
};

/** Uses `defineProperty` for `__proto__`, because an assignment would set the prototype instead of creating a field. */
const define = (target: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true });
  else target[name] = value;
};
