import assert from 'node:assert/strict';
import type { Answer, App, RequestOptions } from './app.ts';

export const EXTENSIONS = '/edge/management/extensions/v1';
const API_TOKENS = `${EXTENSIONS}/api-tokens`;

export interface GivenToken {
  readonly id: string;
  readonly secret: string;
}

/** Some days from now, by the clock of the app. */
export const inDays = (app: App, days: number): string => new Date(app.clock.now() + days * 86_400_000).toISOString();

/** The request that creates an API token. */
export const askForToken = (app: App, identityId: string, fields: object = {}, options: RequestOptions = {}): Promise<Answer> =>
  app.request('POST', API_TOKENS, { body: { identityId, name: 'for CI', expiresAt: inDays(app, 30), ...fields }, ...options });

/** Creates an API token as the administrator. */
export const giveToken = async (app: App, identityId: string, fields: object = {}): Promise<GivenToken> => {
  const { status, text, body } = await askForToken(app, identityId, fields);
  assert.equal(status, 201, text);
  return body.data;
};

export const rotate = async (app: App, id: string, overlapMinutes?: number): Promise<string> => {
  const { status, text, body } = await app.request(
    'POST',
    `${API_TOKENS}/${id}/rotate`,
    overlapMinutes === undefined ? {} : { body: { overlapMinutes } },
  );
  assert.equal(status, 200, text);
  return body.data.secret;
};

/** What a change of a token, or its deletion, answers. */
export const tokenPath = (id: string): string => `${API_TOKENS}/${id}`;

/** The status of a request with a token. */
export const statusAs = async (app: App, as: string, path = '/current-identity', method = 'GET', body?: unknown): Promise<number> =>
  (await app.request(method, path, { as, ...(body === undefined ? {} : { body }) })).status;
