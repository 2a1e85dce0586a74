/**
 * SQL text with its bound values, put together from smaller ones. Values never become text. A question mark stands for each
 * value until the statement is sent, when the engine says how its placeholders look; nothing else in our SQL has one.
 */
export interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

export type Value = string | number | boolean | null;

/** ``sql`${column} = ${'value'}` ``: what is `Sql` becomes part of the text, everything else is bound. */
export const sql = (strings: readonly string[], ...parts: readonly (Sql | Value)[]): Sql => {
  let text = strings[0] ?? '';
  const values: Value[] = [];
  parts.forEach((part, index) => {
    if (isSql(part)) {
      text += part.text;
      values.push(...part.values);
    } else {
      text += '?';
      values.push(part);
    }
    text += strings[index + 1] ?? '';
  });
  return { text, values };
};

export const raw = (text: string): Sql => ({ text, values: [] });

/** A name of a table, column or index. Quoted, because fields are called `order` or `group` if they please. */
export const name = (text: string): Sql => raw(quoted(text));

export const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

export const joined = (parts: readonly Sql[], separator: string): Sql => ({
  text: parts.map((part) => part.text).join(separator),
  values: parts.flatMap((part) => part.values),
});

export const TRUE = raw('true');
export const FALSE = raw('false');

/** The same with its values as literals, for statements that bind none. */
export const writtenOut = ({ text, values }: Sql): Sql => {
  const left = [...values];
  return { text: text.replaceAll('?', () => literal(left.shift() ?? null)), values: [] };
};

const literal = (value: Value): string => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));

const isSql = (part: Sql | Value): part is Sql => typeof part === 'object' && part !== null;
