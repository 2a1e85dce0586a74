/** Literals in a filter: strings, numbers, dates, `true`, `false` and `null`. */

/** `decimal` is the text of a number; that of an integer is as written, because `value` cannot represent all digits of a large one. */
export type Literal = { readonly at: number } & (
  | { readonly is: 'string' | 'date'; readonly value: string }
  | { readonly is: 'number'; readonly value: number; readonly decimal: string }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'null' }
);

/** The kinds of literals in messages. */
export const VALUE_NAMES: Readonly<Record<Literal['is'], string>> = {
  string: 'a string in double quotes',
  number: 'a number',
  date: 'datetime(...)',
  boolean: 'true or false',
  null: 'null',
};

export type Value = Exclude<Literal, { readonly is: 'null' }>;

export const isValue = (literal: Literal): literal is Value => literal.is !== 'null';

/** The text of a value in comparisons with text: for a number, its decimal text. */
export const literalText = (value: Value): string => (value.is === 'number' ? value.decimal : String(value.value));
