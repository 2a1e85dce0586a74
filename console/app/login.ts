/** Login by OpenID Connect: authorization code with PKCE. Tokens are kept in this tab only, and never in an address. */
import { controllerAddress, keyOf, ownAddress } from './settings.ts';
import { texts } from './texts.ts';

const CLIENT_ID = 'overlay-console';
const TOKENS = keyOf('tokens');
const PENDING = keyOf('login');

interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** When the access token is renewed, in ms since the epoch. */
  readonly renewAt: number;
}

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
const stored = <T>(key: string): T | undefined => {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as T); // only this module writes it
};

/** Leaves this page for the login, which returns to the current route. */
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

/** Why a login failed, as the provider says it. */
export class LoginFailed extends Error {}

/**
 * Completes a login whose code is in the address, and removes it from there.
 * @returns true if this tab has tokens
 * @throws LoginFailed
 */
export const completeLogin = async (): Promise<boolean> => {
  const query = new URLSearchParams(location.search);
  const code = query.get('code');
  const error = query.get('error');
  if (code === null && error === null) return stored(TOKENS) !== undefined;
  const pending = stored<Pending>(PENDING);
  const isAsked = pending !== undefined && query.get('state') === pending.state;
  history.replaceState(null, '', `${location.pathname}${isAsked ? pending.route : ''}`);
  // What this tab did not ask for is someone else's: their code is not redeemed, and their text is not shown.
  if (!isAsked) return stored(TOKENS) !== undefined;
  sessionStorage.removeItem(PENDING);
  if (error !== null) throw new LoginFailed(query.get('error_description') ?? error);
  await requestTokens({ grant_type: 'authorization_code', code: code ?? '', redirect_uri: ownAddress, code_verifier: pending.verifier });
  return true;
};

const requestTokens = async (grant: Readonly<Record<string, string>>): Promise<void> => {
  const response = await fetch(`${controllerAddress}/oidc/oauth/token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ client_id: CLIENT_ID, ...grant }),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>; // RFC 6749, 5.1 and 5.2
  if (response.status === 429 || response.status >= 500) throw new Error(texts.answered(response.status));
  if (!response.ok || typeof answer['access_token'] !== 'string')
    throw new LoginFailed(String(answer['error_description'] ?? answer['error'] ?? response.status));
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  const tokens: Tokens = {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    renewAt: Date.now() + (Number(seconds) || 60) * 800,
  };
  sessionStorage.setItem(TOKENS, JSON.stringify(tokens));
};

let renewal: Promise<boolean> | undefined;

/** Gets a new access token. @returns false if the session has ended @throws if the controller does not say whether it has */
export const renew = (): Promise<boolean> => {
  renewal ??= renewOnce().finally(() => (renewal = undefined));
  return renewal;
};

const renewOnce = async (): Promise<boolean> => {
  const refresh = stored<Tokens>(TOKENS)?.refresh;
  if (refresh === undefined) return false;
  try {
    await requestTokens({ grant_type: 'refresh_token', refresh_token: refresh });
    return true;
  } catch (error) {
    if (!(error instanceof LoginFailed)) throw error;
    forget();
    return false;
  }
};

/** The access token, renewed if it is about to end; empty without a session. */
export const accessToken = async (): Promise<string> => {
  const tokens = stored<Tokens>(TOKENS);
  // Without an answer the session may well be there: the token stays, and the request that follows says what is wrong.
  if (tokens && Date.now() > tokens.renewAt) await renew().catch(() => undefined);
  return stored<Tokens>(TOKENS)?.access ?? '';
};

/** Forgets the tokens. */
export const forget = (): void => sessionStorage.removeItem(TOKENS);
