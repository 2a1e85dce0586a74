/**
 * SQL with its values, composed from smaller pieces. Values never become part of the text: they are kept beside it until the statement is sent, when the
 * engine supplies the placeholders.
 */
export interface Sql {
  /** The text around the values: one string more than there are values. */
  readonly strings: readonly string[];
  readonly values: readonly Value[];
}

/** A value in SQL. */
export type Value = string | number | boolean | null;

/**
 * ``sql`${column} = ${'value'}` ``: SQL within becomes part of the text, everything else is a value.
 *
 * ```ts
 * sql`select ${raw('id')} from t where name = ${'ann'}`; // { strings: ['select id from t where name = ', ''], values: ['ann'] }
 * ```
 */
export const sql = (strings: readonly string[], ...parts: readonly (Sql | Value)[]): Sql => {
  const [done, values]: [string[], Value[]] = [[], []];
  let last = strings[0] ?? '';
  parts.forEach((part, index) => {
    if (isSql(part)) last = append(part, last, done, values);
    else {
      done.push(last);
      values.push(part);
      last = '';
    }
    last += strings[index + 1] ?? '';
  });
  done.push(last);
  return { strings: done, values };
};

/** A text as SQL. Never pass text from outside: use a value in `sql`. */
export const raw = (text: string): Sql => ({ strings: [text], values: [] });

/** Pieces of SQL, joined by a text. */
export const joined = (pieces: readonly Sql[], separator: string): Sql => {
  const [done, values]: [string[], Value[]] = [[], []];
  let last = '';
  pieces.forEach((piece, index) => {
    last = append(piece, index === 0 ? '' : last + separator, done, values);
  });
  done.push(last);
  return { strings: done, values };
};

/** SQL without text. */
export const EMPTY = raw('');

// Comparisons, because some databases have no conditions `true` and `false`.
export const TRUE = raw('1 = 1');
export const FALSE = raw('1 = 0');

/** @returns the text after the last value of the piece, to which the next text is appended */
const append = (piece: Sql, before: string, done: string[], values: Value[]): string => {
  const end = piece.values.length;
  if (end === 0) return before + (piece.strings[0] ?? '');
  done.push(before + (piece.strings[0] ?? ''));
  for (let at = 1; at < end; at++) done.push(piece.strings[at] ?? '');
  values.push(...piece.values);
  return piece.strings[end] ?? '';
};

const isSql = (part: Sql | Value): part is Sql => typeof part === 'object' && part !== null;
