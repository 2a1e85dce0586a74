import assert from 'node:assert/strict';
import { apiSession } from '../../src/contract/api/api-sessions.ts';
import type { App } from './app.ts';

const CLIENT = '/edge/client/v1';

/** A user with a session on the client API, whose endpoint tells things and looks at services. */
export const client = async (app: App, fields: Readonly<Record<string, unknown>> = {}) => {
  const user = await app.user(fields);
  return { ...user, ...(await anotherSession(app, user)) };
};

/** One more session of the same user. */
export const anotherSession = async (app: App, user: { readonly login: () => Promise<string> }) => {
  const as = await user.login();
  const get = (path: string) => app.request('GET', `${CLIENT}${path}`, { as });
  const sessionId: string = (await get('/current-api-session')).body.data.id;
  return {
    as,
    sessionId,
    get,
    /** Tells one fact, or several at once, and returns the services that the answer names. */
    tell: async (facts: object | readonly object[]) => {
      const path = Array.isArray(facts) ? '/posture-response-bulk' : '/posture-response';
      const { status, text, body } = await app.request('POST', `${CLIENT}${path}`, { as, body: facts });
      assert.equal(status, 201, text);
      return body.data.services;
    },
    /** What a service asks of this session: for each policy whether it passes, by its type. */
    queries: async (serviceId: string) => (await get(`/services/${serviceId}`)).body.data.postureQueries,
    isPassing: async (serviceId: string): Promise<readonly boolean[]> =>
      (await get(`/services/${serviceId}`)).body.data.postureQueries.map(({ isPassing }: { isPassing: boolean }) => isPassing),
    /** As if this session had just passed a code. */
    passCode: () =>
      app.inStore('write', async (entities) => {
        const row = await entities.require(apiSession, sessionId);
        await entities.update(apiSession, row, { mfaPassedAt: new Date(app.clock.now()).toISOString() });
      }),
  };
};

/** A posture check of these fields; `typeId` among them. */
export const checkOf = (app: App, name: string, fields: object): Promise<string> => app.create('/posture-checks', { name, ...fields });
