/** The browser of a login on pages, identified by a secret in a cookie: the id of a login is not secret, because the party that began it knows it. */
import { encode } from 'jose/base64url';
import type { Call } from '../../../call/call.ts';
import { hashToken } from '../../../tokens/opaque.ts';

/** The prefix `__Host-` ensures that only this host, over TLS, can set the cookie (RFC 6265bis, 4.1.3.2), and not another host of the same domain. */
const NAME = '__Host-overlay-login';
/**
 * The cookie with the secret: 32 bytes in base64url. Only semicolons separate cookies (RFC 6265, 4.2.1): values may contain commas, also those of cookies
 * that another host has set for the whole domain.
 */
const COOKIE = new RegExp(`(?:^|; *)${NAME}=([A-Za-z0-9_-]{43})(?:;|$)`);
/** The time limit of a login. Seconds */
const MAX_AGE = 600;

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
 * Sets the secret of the browser, or extends its lifetime: a browser may have several logins open, each in its own tab. `Lax`, so that links from the
 * application send the cookie, but forms of other sites do not.
 * @returns its hash, which binds the login to the browser
 */
export const bindBrowser = (call: Call): string => {
  const secret = secretIn(call) ?? encode(call.core.platform.random.bytes(32));
  call.answerHeaders.set('set-cookie', `${NAME}=${secret}; Path=/; Max-Age=${MAX_AGE}; Secure; HttpOnly; SameSite=Lax`);
  return hashToken(secret);
};
