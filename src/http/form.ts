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
  try {
    for (const pair of pairs) {
      const mark = pair.indexOf('=');
      const name = decoded(mark < 0 ? pair : pair.slice(0, mark));
      const value = mark < 0 ? '' : decoded(pair.slice(mark + 1));
      const before = fields.get(name);
      if (before === undefined) fields.set(name, value);
      else if (typeof before === 'string') fields.set(name, [before, value]);
      else before.push(value);
    }
  } catch {
    return 'malformed';
  }
  // As in JSON: an own key of that name would turn into a prototype wherever the object is copied by assignment.
  fields.delete('__proto__');
  return Object.fromEntries(fields);
};

/** @throws URIError for a malformed escape */
const decoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
