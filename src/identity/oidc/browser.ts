/**
 * Identifies the browser of a login by a secret in a cookie. The id of the login does not suffice, because the party that began the login
 * knows it.
 */
import { encode } from 'jose/base64url';
import type { Call } from '../../call/call.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';

/**
 * The prefix `__Host-` ensures that only this host can set the cookie, over TLS, and no other host of the same domain (RFC 6265bis,
 * 4.1.3.2).
 */
const NAME = '__Host-overlay-login';
/**
 * The cookie with the secret: 32 bytes in base64url. Only semicolons separate cookies (RFC 6265, 4.2.1): values may contain commas,
 * including those of cookies that another host has set for the whole domain.
 */
const COOKIE = new RegExp(`(?:^|; *)${NAME}=([A-Za-z0-9_-]{43})(?:;|$)`);
/** The time limit of a login, and of its cookie. ms */
export const LOGIN_LIFETIME = 10 * MINUTE;

type Cookies = Pick<Call, 'browser' | 'answerHeaders'>;

/** The secret in the request's cookie, or in the one that the response sets. */
const secretIn = ({ browser, answerHeaders }: Cookies): string | undefined =>
  [browser?.cookie ?? '', answerHeaders.get('set-cookie') ?? '']
    .flat()
    .map((cookies) => COOKIE.exec(cookies)?.[1])
    .find((secret) => secret !== undefined);

/** The hash of the browser's secret, or undefined if the call has none. */
export const browserOf = (call: Cookies): string | undefined => {
  const secret = secretIn(call);
  return secret === undefined ? undefined : hashToken(secret);
};

/**
 * Sets the browser's secret, or extends the lifetime of an existing one, because a browser may have several logins open, each in its own
 * tab. The cookie is `Lax`, so that it is sent with links from the application, but not with forms of other sites.
 * @returns the hash of the secret, which binds the login to the browser
 */
export const bindBrowser = (call: Call): string => {
  const secret = secretIn(call) ?? encode(call.core.platform.random.bytes(32));
  call.answerHeaders.set('set-cookie', `${NAME}=${secret}; Path=/; Max-Age=${LOGIN_LIFETIME / 1000}; Secure; HttpOnly; SameSite=Lax`);
  return hashToken(secret);
};
