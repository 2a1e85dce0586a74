/** Reads fields of a row's document. */
import { decimalText } from './decimal.ts';
import type { FieldRef, FieldType } from './predicate.ts';

/** A row, or any other object that predicates are evaluated on. */
export type Document = Readonly<Record<string, unknown>>;

/** Creates a function that reads a field of a row. Both undefined and null mean that the field has no value. */
export const reader = ({ path }: FieldRef): ((row: Document) => unknown) => {
  const [first, ...rest] = path;
  if (rest.length === 0) return (row) => row[first];
  return (row) => rest.reduce(step, row[first]);
};

/** Clients choose the names of tags: `tags.constructor` must not find an inherited property. */
const step = (value: unknown, key: string): unknown => (isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined);

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null;

/** Creates a function that returns the text of a field for string comparisons; undefined unless it is a string, number or tag. */
export const textReader = (field: FieldRef): ((row: Document) => string | undefined) => {
  const read = reader(field);
  const text = TEXT[field.type];
  return (row) => text(read(row));
};

const ownText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberText = (value: unknown): string | undefined => (typeof value === 'number' ? decimalText(value) : undefined);

const TEXT: Readonly<Record<FieldType, (value: unknown) => string | undefined>> = {
  string: ownText,
  date: ownText,
  number: numberText,
  boolean: () => undefined,
  tag: (value) => ownText(value) ?? numberText(value) ?? (typeof value === 'boolean' ? String(value) : undefined),
};
