import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../src/domain/entries.ts';
import { proves } from '../specification.ts';
import { ADMIN, type Answer, type App, openApp, PASSWORD } from '../support/app.ts';
import { party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { bodyOf } from './rights-bodies.ts';
import { type ApiName, forbidden, open, type Right, type RightOf, rights } from './rights-table.ts';

const PREFIXES: Readonly<Record<ApiName, string>> = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
};

const nameOf = ({ api, method, path }: Pick<RightOf, 'api' | 'method' | 'path'>) => `${method} ${PREFIXES[api]}${path}`;

/** What somebody has who calls: a token or none, and what it is good for. */
interface Actor {
  readonly name: string;
  readonly token: string | null;
  /** Whether the token is that of a session, whether it owes nothing, and whether it is an administrator's. */
  readonly may: readonly Right[];
}

const NOBODY: readonly Right[] = ['anyone'];
const OWING: readonly Right[] = [...NOBODY, 'anySession'];
const USER: readonly Right[] = [...OWING, 'session'];
const ADMINISTRATOR: readonly Right[] = [...USER, 'administrator'];

const loginAt = async (app: App, api: 'management' | 'client', username: string, password = PASSWORD): Promise<string> =>
  (await app.request('POST', `${PREFIXES[api]}/authenticate?method=password`, { as: null, body: { username, password } })).body.data.token;

const actors = async (app: App): Promise<readonly Actor[]> => {
  const expired = await (await app.user({ isAdmin: true })).login();
  app.clock.advance('20m');
  const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
  const session = async (fields: Readonly<Record<string, unknown>>, api: 'management' | 'client' = 'management') => {
    const { id, username } = await app.user(fields);
    return { id, token: await loginAt(app, api, username) };
  };
  app.clock.advance('11m'); // the administrator's session was in use meanwhile
  const administrator = { isAdmin: true };
  const disabled = await session(administrator);
  await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
  const ended = await session(administrator);
  await app.request('DELETE', '/current-api-session', { as: ended.token });
  const deleted = await session(administrator);
  await app.request('DELETE', `/identities/${deleted.id}`);
  const demoted = await session(administrator);
  await app.request('PATCH', `/identities/${demoted.id}`, { body: { isAdmin: false } });
  const promoted = await session({});
  await app.request('PATCH', `/identities/${promoted.id}`, { body: { isAdmin: true } });
  return [
    { name: 'anonymous', token: null, may: NOBODY },
    { name: 'a token that never was', token: '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f', may: NOBODY },
    { name: 'an expired session', token: expired, may: NOBODY },
    { name: 'a session that was ended', token: ended.token, may: NOBODY },
    { name: 'the session of a disabled identity', token: disabled.token, may: NOBODY },
    { name: 'the session of a deleted identity', token: deleted.token, may: NOBODY },
    { name: 'a user who owes a factor', token: (await session({ authPolicyId })).token, may: OWING },
    { name: 'an administrator who owes a factor', token: (await session({ authPolicyId, ...administrator })).token, may: OWING },
    { name: 'a user', token: (await session({})).token, may: USER },
    { name: 'a user, by the client API', token: (await session({}, 'client')).token, may: USER },
    { name: 'an administrator who is one no more', token: demoted.token, may: USER },
    { name: 'an administrator', token: (await session(administrator)).token, may: ADMINISTRATOR },
    { name: 'an administrator, by the client API', token: (await session(administrator, 'client')).token, may: ADMINISTRATOR },
    { name: 'a user who became an administrator', token: promoted.token, may: ADMINISTRATOR },
    { name: 'the default administrator', token: app.admin, may: ADMINISTRATOR },
  ];
};

test('every operation has its right in the table, and the table has no other', () => {
  const there = entries.flatMap(({ operation: { surfaces, method, path } }) => surfaces.map(({ prefix }) => `${method} ${prefix}${path}`));
  const inTable = [...rights.map(nameOf), ...open];
  const without = (all: readonly string[], known: readonly string[]) => all.filter((one) => !known.includes(one));
  assert.deepEqual(without(there, inTable), [], 'these operations have no right in test/security/rights-table.ts');
  assert.deepEqual(without(inTable, there), [], 'these rights in test/security/rights-table.ts have no operation');
  assert.deepEqual(inTable.toSorted(), there.toSorted());
});

test('the operations of the OpenID provider ask for no session', () => {
  const closed = entries.filter(({ operation }) => operation.permission !== 'open').flatMap(({ operation: { surfaces } }) => surfaces);
  assert.deepEqual(
    closed.filter(({ prefix }) => prefix.startsWith('/oidc')),
    [],
  );
});

/** Calls an operation with what is valid for it, and ids that do not exist: what is judged is the right. */
const call = (app: App, { api, method, path }: RightOf, as: string | null, certificates: readonly Uint8Array[]): Promise<Answer> => {
  const body = path === '/authenticate' ? ADMIN : bodyOf(method, path);
  const query = { '/authenticate': '?method=password', '/enroll': '?method=ott&token=none' }[path] ?? '';
  const sent = typeof body === 'string' ? { raw: body, headers: { 'content-type': 'text/plain' } } : { body };
  return app.request(method, `${PREFIXES[api]}${path.replaceAll(/\{\w+\}/g, 'no-such-id')}${query}`, { ...sent, as, certificates });
};

const assertJudged = (operation: RightOf, { name, may }: Actor, { status, text, body }: Answer): void => {
  const why = `${name}: ${status} ${text}`;
  const line = `${operation.method} ${operation.path}`;
  if (!may.includes(operation.right)) {
    assert.notEqual(status, 400, `${why}\n${line} needs a valid body in test/security/rights-bodies.ts`);
    assert.equal(status, may.includes('session') && forbidden.includes(line) ? 403 : 401, why);
    assert.equal(body.error.code, 'UNAUTHORIZED', why);
  } else if (status === 401) {
    // It is open to whoever has the certificate of a router, and nobody here has one.
    assert.deepEqual(
      [line, body.error.cause.message],
      ['POST /enroll/extend/router', 'the certificate is not the current one of a router'],
      why,
    );
  } else assert.ok(status !== 403 && status < 500, why);
};

test(
  'each operation is open to those who have its right, and closed to all others',
  // biome-ignore format: as many as fit
  proves(
    298, 303, 304, 305, 306, 307, 308, 337, 338, 339, 340, 342, 343, 344, 345, 346, 347, 351, 352, 353, 361, 362, 363, 366, 367, 368,
    369, 370, 371, 372, 373, 374, 375, 376, 377, 381, 382, 383, 384, 385, 386, 387, 388, 389, 391, 392, 393, 394, 395, 396, 397, 398,
    399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 412, 413, 436, 448,
  ),
  async (t) => {
    await using app = await openApp('memory');
    const all = await actors(app);
    const certificates = [(await party('somebody')).certificate.der];
    for (const operation of rights)
      await t.test(`${nameOf(operation)} is for ${operation.right}`, async () => {
        const ends = operation.method === 'DELETE' && operation.path === '/current-api-session';
        await using own = ends ? await openApp('memory') : undefined; // what ends sessions gets sessions of its own
        for (const actor of own ? await actors(own) : all)
          assertJudged(operation, actor, await call(own ?? app, operation, actor.token, certificates));
      });
  },
);
