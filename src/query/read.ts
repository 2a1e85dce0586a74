/** Reads fields of a row's document. */
import { decimalText } from './decimal.ts';
import type { FieldRef, FieldType } from './predicate.ts';

/** A row, or any other object that predicates are evaluated on. */
export type Document = Readonly<Record<string, unknown>>;

/** A function that reads the field; undefined and null both mean that there is no value. */
export const reader = ({ path }: FieldRef): ((row: Document) => unknown) => {
  const [first, ...rest] = path;
  if (rest.length === 0) return (row) => row[first];
  return (row) => rest.reduce(step, row[first]);
};

/** Clients choose the names of tags: `tags.constructor` must not find an inherited property. */
const step = (value: unknown, key: string): unknown => (isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined);

const isDocument = (value: unknown): value is Document => typeof value === 'object' && value !== null;

/** A function that returns the field's text for string comparisons, if it is a text, number or tag; otherwise undefined. */
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
