/** The fields of `application/x-www-form-urlencoded`, in order of their names' first occurrence; a list for a name that is repeated. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Parses a form (URL Living Standard, 5.1), except that malformed escapes are refused, because their meaning is unknown.
 * @param most fields
 */
export const formOf = (text: string, most: number): FormFields | 'tooMany' | 'malformed' => {
  const pairs = text.split('&', most + 1).filter((pair) => pair !== '');
  if (pairs.length > most) return 'tooMany';
  const fields = new Map<string, string | string[]>();
  for (const pair of pairs) {
    const mark = pair.indexOf('=');
    const name = formDecoded(mark < 0 ? pair : pair.slice(0, mark));
    const value = mark < 0 ? '' : formDecoded(pair.slice(mark + 1));
    if (name === undefined || value === undefined) return 'malformed';
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (typeof before === 'string') fields.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(fields);
};

/** A name or a value of a form, which are those of a query, too: `+` is a space. Undefined for a malformed escape, and for one that gives no UTF-8. */
export const formDecoded = (text: string): string | undefined => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
};
