import { invalidField } from '../../contract/errors/index.ts';

/** Scripts in general use (Unicode UAX #31, table 5). */
const SCRIPTS = [
  ...[
    'Latin',
    'Arabic',
    'Armenian',
    'Bengali',
    'Bopomofo',
    'Cyrillic',
    'Devanagari',
    'Ethiopic',
    'Georgian',
    'Greek',
    'Gujarati',
    'Gurmukhi',
  ],
  ...['Han', 'Hangul', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil'],
  ...['Telugu', 'Thaana', 'Thai', 'Tibetan'],
];
/** Scripts that may be mixed (Unicode UTS #39, section 5.2, "highly restrictive"). */
const MIXABLE = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Matches text that uses only these scripts and characters that all scripts share, such as digits, punctuation and emoji. */
const only = (scripts: readonly string[]): RegExp =>
  new RegExp(`^[${['Common', 'Inherited', ...scripts].map((script) => `\\p{Script_Extensions=${script}}`).join('')}]*$`, 'u');
const allowed = [...MIXABLE, ...SCRIPTS.map((script) => [script])].map(only);

const rules: readonly { readonly isBroken: (username: string) => boolean; readonly reason: string }[] = [
  {
    isBroken: (username) => /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(username),
    reason: 'must not contain control characters or invisible characters',
  },
  { isBroken: (username) => username.trim() !== username, reason: 'must not begin or end with white space' },
  {
    isBroken: (username) => username.normalize('NFKC') !== username,
    reason: 'must be in Unicode normalization form NFKC: no styled letters, no separate accents, no spaces other than U+0020',
  },
  {
    isBroken: (username) => !allowed.some((pattern) => pattern.test(username)),
    reason: 'must not mix letters of scripts that look alike',
  },
];

/**
 * Rejects usernames that could be confused with others, according to the restriction level "highly restrictive" of Unicode UTS #39.
 * Existing names remain valid. A name that is entirely in one script but looks like a name in another is not detected.
 * @param field the name of the field, for the error
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const checkUsername = (username: string, field = 'username'): void => {
  const fault = usernameFault(username);
  if (fault) throw invalidField(field, `${field} ${fault}`, username);
};

export const usernameFault = (username: string): string | undefined => rules.find(({ isBroken }) => isBroken(username))?.reason;
