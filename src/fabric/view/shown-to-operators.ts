/**
 * Texts of routers without the secrets of clients. Routers know the tokens of sessions, and show them in what they answer to operators, who
 * could then act as these clients.
 */

/** A signed token (RFC 7519). It begins a word, so that the text is read once. */
const SIGNED_TOKEN = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
/** A field of JSON with a text, with a name such as `sessionToken`. */
const SECRET_FIELD = /("\w{0,40}(?:token|secret|password)\w{0,40}"\s{0,4}:\s{0,4})"(?:[^"\\]|\\.)*"/gi;

/** The text with empty texts instead of tokens and passwords. */
export const withoutTokens = (text: string): string => text.replace(SIGNED_TOKEN, '').replace(SECRET_FIELD, '$1""');

/** Maximum length of a detail that is read. Longer ones are not shown. */
const MAX_DETAIL = 100_000;

/** The detail of a terminator: routers list the sessions that host by their tokens. */
export const terminatorDetail = (text: string): string => {
  if (text.length > MAX_DETAIL) return '';
  try {
    const detail: unknown = JSON.parse(text);
    if (typeof detail !== 'object' || detail === null || !('hosting' in detail)) return withoutTokens(text);
    const { hosting } = detail;
    const sessions = typeof hosting === 'object' && hosting !== null ? Object.values(hosting) : [];
    return withoutTokens(JSON.stringify({ ...detail, hosting: sessions }));
  } catch {
    return withoutTokens(text);
  }
};
