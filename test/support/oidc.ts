/** Logins by the OpenID provider, step by step, as clients make them. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Answer, type App, PASSWORD, type RequestOptions } from './app.ts';

export const CLIENT = 'openziti';
export const REDIRECT = 'http://127.0.0.1:18999/auth/callback';
export const FORM = 'application/x-www-form-urlencoded';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const TYPE = 'urn:ietf:params:oauth:token-type:';

/** The subject of an exchange that redeems a refresh token. */
export const forRefresh = (subject_token: string) => ({ subject_token, subject_token_type: `${TYPE}refresh_token` });

export type Fields = Readonly<Record<string, string | undefined>>;
type Options = Omit<RequestOptions, 'body' | 'raw' | 'as'>;

const encoded = (fields: Fields): string =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)).toString();

export const pkce = () => {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const get = (app: App, path: string, query: Fields = {}, options: Options = {}): Promise<Answer> =>
  app.request('GET', `/oidc${path}?${encoded(query)}`, { as: null, ...options });

export const post = (app: App, path: string, fields: Fields, { headers = {}, ...options }: Options = {}): Promise<Answer> =>
  app.request('POST', `/oidc${path}`, { as: null, raw: encoded(fields), headers: { 'content-type': FORM, ...headers }, ...options });

/** A parameter of where an answer leads. */
export const inLocation = ({ headers }: Answer, name: string): string | undefined =>
  URL.parse(headers.location ?? '', 'https://none.invalid')?.searchParams.get(name) ?? undefined;

export interface Begun {
  readonly id: string;
  readonly verifier: string;
  readonly fields: Fields;
}

export const authorizeFields = (challenge: string, fields: Fields = {}): Fields => ({
  client_id: CLIENT,
  response_type: 'code',
  scope: 'openid offline_access',
  state: 'the-state',
  nonce: 'the-nonce',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  redirect_uri: REDIRECT,
  ...fields,
});

/** Begins a login. */
export const begin = async (app: App, fields: Fields = {}, options: Options = {}): Promise<Begun> => {
  const { verifier, challenge } = pkce();
  const all = authorizeFields(challenge, fields);
  const answer = await get(app, '/authorize', all, options);
  return { id: inLocation(answer, 'authRequestID') ?? assert.fail(`${answer.status} ${answer.text}`), verifier, fields: all };
};

export const byPassword = (app: App, { id }: Pick<Begun, 'id'>, username: string, password = PASSWORD, options: Options = {}) =>
  post(app, '/login/username', { id, username, password }, options);

/** Follows the callback of a login that is complete. */
export const codeOf = async (app: App, { id }: Pick<Begun, 'id'>): Promise<string> => {
  const answer = await get(app, '/authorize/callback', { id });
  return inLocation(answer, 'code') ?? assert.fail(`${answer.status} ${answer.headers.location} ${answer.text}`);
};

export const redeem = (app: App, { verifier, fields }: Begun, code: string, more: Fields = {}, options: Options = {}): Promise<Answer> => {
  const { client_id, redirect_uri } = fields;
  const form = { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier, ...more };
  return post(app, '/oauth/token', form, options);
};

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** The claims of a token, which is not verified. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into claims of every shape
export const claimsOf = (jwt: string): any => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

export const tokensIn = ({ status, body, text }: Answer): Tokens => {
  assert.equal(status, 200, text);
  return body;
};

/** A whole login by password. */
export const tokensOf = async (app: App, username: string, fields: Fields = {}): Promise<Tokens> => {
  const login = await begin(app, fields);
  const { status, text } = await byPassword(app, login, username);
  assert.equal(status, 302, text);
  return tokensIn(await redeem(app, login, await codeOf(app, login)));
};

/** A whole login by the certificate that the client presents. */
export const certificateTokens = async (app: App, certificates: readonly Uint8Array[], fields: Fields = {}): Promise<Tokens> => {
  const login = await begin(app, fields, { certificates });
  const { status, text } = await post(app, '/login/cert', { id: login.id }, { certificates });
  assert.equal(status, 302, text);
  return tokensIn(await redeem(app, login, await codeOf(app, login)));
};

export const refresh = (app: App, token: string, fields: Fields = {}, options: Options = {}): Promise<Answer> =>
  post(app, '/oauth/token', { grant_type: 'refresh_token', client_id: CLIENT, refresh_token: token, ...fields }, options);

export const basic = (client = CLIENT, secret = '') => ({
  authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`,
});

export const exchange = (app: App, fields: Fields, headers = basic(), options: Options = {}): Promise<Answer> =>
  post(app, '/oauth/token', { grant_type: TOKEN_EXCHANGE, ...fields }, { ...options, headers });

/** A login by password with a certificate request, and what the token endpoint answers. */
export const certifiedLogin = async (app: App, username: string, csrPem: string): Promise<Answer> => {
  const login = await begin(app);
  const { status, text } = await post(app, '/login/username', { id: login.id, username, password: PASSWORD, csrPem });
  assert.equal(status, 302, text);
  return redeem(app, login, await codeOf(app, login));
};

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A request of an API with an access token. */
export const withToken = (
  app: App,
  token: string,
  path = '/current-identity',
  options: RequestOptions & { readonly method?: string } = {},
) => app.request(options.method ?? 'GET', path, { as: null, ...options, headers: { ...bearer(token), ...options.headers } });

/** Whether an access token is a session now. */
export const lives = async (app: App, token: string): Promise<boolean> => (await withToken(app, token)).status === 200;
