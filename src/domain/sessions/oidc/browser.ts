/** The browser of a login on pages. A cookie with a secret identifies it: the id of a login is no secret, since the party that began it knows it. */
import { encode } from 'jose/base64url';
import type { Call } from '../../../call/call.ts';
import { hashToken } from '../../../tokens/opaque.ts';

/** A name that only this very host can set, over TLS (RFC 6265bis, 4.1.3.2): no other host of the same domain can set it. */
const NAME = '__Host-overlay-login';
/**
 * The cookie with a secret, which is base64url of 32 bytes. Only semicolons separate cookies (RFC 6265, 4.2.1): a value may hold a comma, also in a cookie
 * that another host has set for the whole domain.
 */
const COOKIE = new RegExp(`(?:^|; *)${NAME}=([A-Za-z0-9_-]{43})(?:;|$)`);
/** The time limit of a login. Seconds */
const MAX_AGE = 600;

type Cookies = Pick<Call, 'browser' | 'answerHeaders'>;

/** The secret in the request, or in the answer for the browser. */
const secretIn = ({ browser, answerHeaders }: Cookies): string | undefined =>
  [browser?.cookie ?? '', answerHeaders.get('set-cookie') ?? '']
    .flat()
    .map((cookies) => COOKIE.exec(cookies)?.[1])
    .find((secret) => secret !== undefined);

/** The hash of the secret of the browser behind a call; undefined without one. */
export const browserOf = (call: Cookies): string | undefined => {
  const secret = secretIn(call);
  return secret === undefined ? undefined : hashToken(secret);
};

/**
 * Sets the secret of the browser, or extends its lifetime: a browser may have several logins open, each in its own tab. `Lax`, so that links from the
 * application send the cookie, but forms of other sites do not.
 * @returns its hash, by which the login is bound to the browser
 */
export const bindBrowser = (call: Call): string => {
  const secret = secretIn(call) ?? encode(call.core.platform.random.bytes(32));
  call.answerHeaders.set('set-cookie', `${NAME}=${secret}; Path=/; Max-Age=${MAX_AGE}; Secure; HttpOnly; SameSite=Lax`);
  return hashToken(secret);
};
