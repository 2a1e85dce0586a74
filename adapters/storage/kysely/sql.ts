/**
 * SQL with its values, composed from smaller pieces. Composing copies no text: a statement is a tree of pieces, which `render.ts` turns
 * into text. Values never become part of that text: they are kept separate until the statement is sent, with the engine's placeholders in
 * their places.
 */
export interface Sql {
  /** The text around the parts: one string more than there are parts. */
  readonly strings: readonly string[];
  readonly parts: readonly (Sql | Value)[];
}

/** A value in SQL. */
export type Value = string | number | boolean | null;

/**
 * ``sql`${column} = ${'value'}` ``: embedded SQL becomes part of the text, and everything else is a value.
 *
 * ```ts
 * sql`select ${raw('id')} from t where name = ${'ann'}`; // select id from t where name = ?, with the value 'ann'
 * ```
 */
export const sql = (strings: readonly string[], ...parts: readonly (Sql | Value)[]): Sql => ({ strings, parts });

/** Treats a text as SQL. Never pass untrusted text: use a value in `sql` instead. */
export const raw = (text: string): Sql => ({ strings: [text], parts: NO_PARTS });

/** Joins pieces of SQL with a separator. */
export const joined = (pieces: readonly Sql[], separator: string): Sql => ({ strings: between(separator, pieces.length), parts: pieces });

/** True if a part of a piece is another piece. */
export const isSql = (part: Sql | Value): part is Sql => typeof part === 'object' && part !== null;

const NO_PARTS: Sql['parts'] = [];

/** SQL without text. */
export const EMPTY = raw('');

// Comparisons, because some databases do not accept `true` and `false` as conditions.
export const TRUE = raw('1 = 1');
export const FALSE = raw('1 = 0');

/**
 * The strings around joined pieces, by separator and number of pieces. Cached so that they are the same array every time, like the strings
 * of a template.
 */
const separators = new Map<string, (readonly string[])[]>();
/** Maximum number of pieces for which the strings are cached. */
const MAX_CACHED = 64;

const between = (separator: string, pieces: number): readonly string[] => {
  const cached = separators.get(separator)?.[pieces];
  if (cached) return cached;
  const strings = pieces === 0 ? [''] : ['', ...Array.from({ length: pieces - 1 }, () => separator), ''];
  if (pieces > MAX_CACHED) return strings;
  const bySize = separators.get(separator) ?? [];
  bySize[pieces] = strings;
  separators.set(separator, bySize);
  return strings;
};
