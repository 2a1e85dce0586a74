import { invalidField } from '../errors/index.ts';

/** The result of an operation of a batch, to which later ones may refer. */
export interface Referable {
  readonly id?: string | undefined;
  readonly output: unknown;
}

/** `$1.id`, or `@$1.id` in role arrays: a field of what an earlier operation answered. Operations are numbered from 1. */
const REFERENCE = /^(@?)\$(\d{1,5})\.([A-Za-z]\w{0,63})$/;
/** `$$1.id`: the text `$1.id`; `$$$1.id`: the text `$$1.id`, and so on. */
const ESCAPED = /^(@?)\$(\$+\d{1,5}\.)/;

/**
 * Checks the references in the input of an operation, before any is carried out.
 * @param number that of the operation
 * @throws ApiError `COULD_NOT_VALIDATE` for a reference to the operation itself or to a later one
 */
export const checkReferencesIn = (input: unknown, number: number): void => {
  visit(input, (text) => {
    const [, , to] = REFERENCE.exec(text) ?? [];
    if (to !== undefined && !(Number(to) >= 1 && Number(to) < number))
      throw invalidField(
        'input',
        `operation ${number} refers to ${text}: it can refer to operations before it, which are numbered from 1`,
        text,
      );
  });
};

/**
 * The input with its references replaced.
 * @throws ApiError `COULD_NOT_VALIDATE` if an operation that it refers to answered without this field
 */
export const resolveReferences = (input: unknown, results: readonly Referable[]): unknown => {
  if (typeof input === 'string') return resolved(input, results);
  if (Array.isArray(input)) return input.map((item) => resolveReferences(item, results));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([key, item]) => [resolved(key, results), resolveReferences(item, results)]));
};

const visit = (input: unknown, check: (text: string) => void): void => {
  if (typeof input === 'string') check(input);
  if (typeof input !== 'object' || input === null) return;
  for (const [key, item] of Object.entries(input)) {
    check(key);
    visit(item, check);
  }
};

const resolved = (text: string, results: readonly Referable[]): string => {
  if (ESCAPED.test(text)) return text.replace(ESCAPED, '$1$2');
  const [, prefix = '', number, field = ''] = REFERENCE.exec(text) ?? [];
  if (number === undefined) return text;
  const { id, output } = results[Number(number) - 1] ?? { output: undefined };
  const fields = Object(output) as Readonly<Record<string, unknown>>; // any output, whose fields are checked below
  const value = Object.hasOwn(fields, field) ? fields[field] : field === 'id' ? id : undefined;
  if (typeof value !== 'string')
    throw invalidField('input', `operation ${number} answered without a text ${field}, to which ${text} refers`, text);
  return prefix + value;
};
