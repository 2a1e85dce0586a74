/** Formats values for error messages: shortened, in the format that existing clients expect, and without possible secrets. */

const SECRET_NAME = /pass(word|phrase)|code|token|key|secret|pem|jwt|credential|authorization|cookie|jwks/i;
const SECRET_TEXT = /PRIVATE KEY|^eyJ[\w-]+\.[\w-]+\.|:\/\/[^/?#\s]*@/;
const HIDDEN = '***';
const NOTHING = '<nil>';

/** Maximum number of characters, of members of an object or list, and of nested levels. */
const MAX = { characters: 256, members: 32, levels: 4 } as const;

/**
 * Returns `<nil>` for a missing value, `[a b]` for lists, `map[a:1 b:2]` for objects, sorted by key, and `***` for possible secrets, which
 * are recognised by the name of the field or member, or by their form (a private key, a JWT, a URL with a password). At most 256
 * characters.
 */
export const shownValue = (field: string, value: unknown): string => {
  const shown = SECRET_NAME.test(field) ? HIDDEN : show(value, MAX.levels);
  return shown.length <= MAX.characters ? shown : `${shown.slice(0, MAX.characters - 1)}…`;
};

const show = (value: unknown, levels: number): string => {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === 'string') return SECRET_TEXT.test(value) ? HIDDEN : value.slice(0, MAX.characters + 1);
  if (typeof value !== 'object') return String(value);
  if (levels === 0) return '…';
  if (Array.isArray(value))
    return `[${value
      .slice(0, MAX.members)
      .map((item) => show(item, levels - 1))
      .join(' ')}]`;
  return `map[${membersOf(value)
    .map(([name, item]) => `${name}:${SECRET_NAME.test(name) ? HIDDEN : show(item, levels - 1)}`)
    .join(' ')}]`;
};

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value)
    .slice(0, MAX.members)
    .map(([name, item]) => [name.slice(0, MAX.characters), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
