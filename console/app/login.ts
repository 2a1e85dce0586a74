/** Login with OpenID Connect: authorization code with PKCE. Tokens are never part of a URL. */
import { controllerAddress, ownAddress, storageKey } from './settings.ts';
import { askForTokens } from './shared-sign-in.ts';
import { CLIENT_ID, forgetTokens, LoginFailed, readTokens, requestTokens, storeTokens } from './tokens.ts';

const PENDING = storageKey('login');

interface Pending {
  readonly state: string;
  readonly verifier: string;
  /** The fragment to return to. */
  readonly route: string;
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));
const readPending = (): Pending | undefined => JSON.parse(sessionStorage.getItem(PENDING) ?? 'null') ?? undefined; // `beginLogin` wrote it

/** Leaves this page for the login page, which returns to the current route. */
export const beginLogin = async (): Promise<void> => {
  const pending: Pending = { state: random(), verifier: random(), route: location.hash };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier)));
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid offline_access',
    redirect_uri: ownAddress,
    state: pending.state,
    code_challenge: base64url(digest),
    code_challenge_method: 'S256',
  });
  location.assign(`${controllerAddress}/oidc/authorize?${query}`);
};

/** Signs in again: with the session of another tab, or on the login page. */
export const signIn = async (): Promise<void> => ((await takeTokens()) ? location.reload() : beginLogin());

/** Takes tokens from another tab. @returns true if this tab has tokens now */
export const takeTokens = async (): Promise<boolean> => {
  const tokens = await askForTokens();
  if (tokens) storeTokens(tokens);
  return tokens !== undefined;
};

/**
 * Completes a login whose code is in the address, and removes it from there.
 * @returns true if this tab has tokens
 * @throws LoginFailed
 */
export const completeLogin = async (): Promise<boolean> => {
  const query = new URLSearchParams(location.search);
  const code = query.get('code');
  const error = query.get('error');
  if (code === null && error === null) return readTokens() !== undefined;
  const pending = readPending();
  const isExpected = pending !== undefined && query.get('state') === pending.state;
  history.replaceState(null, '', `${location.pathname}${isExpected ? pending.route : ''}`);
  // A response that this tab did not request is not trusted: its code is not redeemed, and its text is not shown.
  if (!isExpected) return readTokens() !== undefined;
  sessionStorage.removeItem(PENDING);
  if (error !== null) throw new LoginFailed(query.get('error_description') ?? error);
  const { verifier } = pending;
  storeTokens(
    await requestTokens({ grant_type: 'authorization_code', code: code ?? '', redirect_uri: ownAddress, code_verifier: verifier }),
  );
  return true;
};

let renewal: Promise<boolean> | undefined;

/** Requests a new access token. @returns false if the session has ended @throws if the controller does not respond as expected */
export const renewTokens = (): Promise<boolean> => {
  renewal ??= renewTokensOnce().finally(() => (renewal = undefined));
  return renewal;
};

const renewTokensOnce = async (): Promise<boolean> => {
  const refresh = readTokens()?.refresh;
  if (refresh === undefined) return false;
  try {
    storeTokens(await requestTokens({ grant_type: 'refresh_token', refresh_token: refresh }));
    return true;
  } catch (error) {
    if (!(error instanceof LoginFailed)) throw error;
    // A duplicate of this tab has the same token, which is valid once: if it was first, it can give another one.
    if (await takeTokens()) return true;
    forgetTokens();
    return false;
  }
};

/** The access token, renewed if it expires soon; empty without a session. */
export const accessToken = async (): Promise<string> => {
  const tokens = readTokens();
  // If the renewal fails, the session may still be valid: the token is kept, and the next request reports the error.
  if (tokens && Date.now() > tokens.renewAt) await renewTokens().catch(() => undefined);
  return readTokens()?.access ?? '';
};
