import type { Field } from '../../contract/api/kit/field.ts';

/** The value with which a body resets a field to its default; undefined if none does. */
export const unsettingValue = (field: Field): unknown => {
  if (field.default !== null) return field.default;
  const input = field.input ?? field.schema;
  return ['', {}].find((candidate) => {
    const parsed = input.safeParse(candidate);
    return parsed.success && (parsed.data === null || (field.absent && parsed.data === ''));
  });
};
