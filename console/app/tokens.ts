/** The tokens of this tab, which are in no other place: not in addresses, not in storage that other tabs read. */
import { controllerAddress, storageKey } from './settings.ts';
import { texts } from './texts.ts';

export const CLIENT_ID = 'overlay-console';
const TOKENS = storageKey('tokens');
/** The part of a token's lifetime after which it is renewed. */
const RENEW_AFTER = 0.8;
const DEFAULT_LIFETIME_S = 60;
const TYPE = 'urn:ietf:params:oauth:token-type:';

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** The time at which the access token is renewed, in ms since the epoch. */
  readonly renewAt: number;
  /** The id of their session. */
  readonly session: string;
}

/** The reason why a login failed, from the provider. */
export class LoginFailed extends Error {}

export const readTokens = (): Tokens | undefined => {
  const text = sessionStorage.getItem(TOKENS);
  return text === null ? undefined : (JSON.parse(text) as Tokens); // only this module writes it
};

export const storeTokens = (tokens: Tokens): void => sessionStorage.setItem(TOKENS, JSON.stringify(tokens));

export const forgetTokens = (): void => sessionStorage.removeItem(TOKENS);

type Fields = Readonly<Record<string, string>>;

/** Requests tokens for a code or a refresh token. @throws LoginFailed if they are refused, or another error without an answer */
export const requestTokens = (grant: Fields): Promise<Tokens> => request({ client_id: CLIENT_ID, ...grant }, {});

/** Requests further tokens of this session, for another tab (RFC 8693). Those of this tab remain valid. */
export const requestTokensForTab = (): Promise<Tokens> => {
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: readTokens()?.refresh ?? '',
    subject_token_type: `${TYPE}refresh_token`,
    requested_token_type: `${TYPE}refresh_token`,
  };
  return request(exchange, { authorization: `Basic ${btoa(`${CLIENT_ID}:`)}` });
};

const request = async (form: Fields, headers: Fields): Promise<Tokens> => {
  const response = await fetch(`${controllerAddress}/oidc/oauth/token`, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body: new URLSearchParams(form),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>; // RFC 6749, 5.1 and 5.2
  if (response.status === 429 || response.status >= 500) throw new Error(texts.unexpectedStatus(response.status));
  if (!response.ok || typeof answer['access_token'] !== 'string')
    throw new LoginFailed(String(answer['error_description'] ?? answer['error'] ?? response.status));
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  return {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    renewAt: Date.now() + (Number(seconds) || DEFAULT_LIFETIME_S) * 1000 * RENEW_AFTER,
    session: sessionOf(access),
  };
};

/** The session that an access token of this provider names. */
const sessionOf = (access: string): string => {
  const [, claims = ''] = access.split('.');
  return String(JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).z_asid);
};
