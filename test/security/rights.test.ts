/** Every operation by each kind of caller. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS as PUBLISHED } from '../../src/contract/api/permissions.ts';
import { proves } from '../specification.ts';
import { giveToken } from '../support/api-tokens.ts';
import { type Answer, type App, openApp } from '../support/app.ts';
import { party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { bodyFor, isForAdministrators, loginAt, publishedBy, send } from './rights-calls.ts';
import { allowing, nameOf, type Operation, operations, PERMISSIONS } from './rights-table.ts';

const others = (right: string): readonly string[] => PERMISSIONS.filter((name) => !allowing(right).includes(name));

interface Caller {
  readonly name: string;
  readonly as: string | null;
  readonly may: (operation: Operation) => boolean;
}

const anonymous: Caller['may'] = ({ who }) => who === 'anyone';
const owing: Caller['may'] = (operation) => anonymous(operation) || operation.who === 'anySession';
const user: Caller['may'] = ({ who }) => who !== 'right';
const administrator: Caller['may'] = () => true;
/** An API token with some permissions, or with all rights. */
const byToken =
  (permissions?: readonly string[]): Caller['may'] =>
  ({ who, right, byToken: isOpen }) =>
    who === 'anyone' || (isOpen && (right === 'none' || !permissions || allowing(right).some((name) => permissions.includes(name))));

const callersOf = async (app: App): Promise<readonly Caller[]> => {
  const isAdmin = true;
  const expired = await (await app.user({ isAdmin })).login();
  app.clock.advance('20m');
  const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
  const session = async (fields: Readonly<Record<string, unknown>>, api: 'management' | 'client' = 'management') => {
    const { id, username } = await app.user(fields);
    return { id, as: await loginAt(app, api, username) };
  };
  app.clock.advance('11m'); // the session of the administrator was in use
  const [disabled, ended, deleted, demoted] = [
    await session({ isAdmin }),
    await session({ isAdmin }),
    await session({ isAdmin }),
    await session({ isAdmin }),
  ];
  await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
  await app.request('DELETE', '/current-api-session', { as: ended.as });
  await app.request('DELETE', `/identities/${deleted.id}`);
  await app.request('PATCH', `/identities/${demoted.id}`, { body: { isAdmin: false } });
  const promoted = await session({});
  await app.request('PATCH', `/identities/${promoted.id}`, { body: { isAdmin } });
  const token = (await giveToken(app, promoted.id, { isAdmin })).secret;
  return [
    { name: 'anonymous', as: null, may: anonymous },
    { name: 'a token that never was', as: '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f', may: anonymous },
    { name: 'an expired session', as: expired, may: anonymous },
    { name: 'a session that was ended', as: ended.as, may: anonymous },
    { name: 'the session of a disabled identity', as: disabled.as, may: anonymous },
    { name: 'the session of a deleted identity', as: deleted.as, may: anonymous },
    { name: 'a user who owes a factor', as: (await session({ authPolicyId })).as, may: owing },
    { name: 'an administrator who owes a factor', as: (await session({ authPolicyId, isAdmin })).as, may: owing },
    { name: 'a user', as: (await session({})).as, may: user },
    { name: 'a user, by the client API', as: (await session({}, 'client')).as, may: user },
    { name: 'an administrator who is one no more', as: demoted.as, may: user },
    { name: 'an administrator', as: (await session({ isAdmin })).as, may: administrator },
    { name: 'an administrator, by the client API', as: (await session({ isAdmin }, 'client')).as, may: administrator },
    { name: 'a user who became an administrator', as: promoted.as, may: administrator },
    { name: 'the default administrator', as: app.admin, may: administrator },
    { name: 'an API token with all rights of an administrator', as: token, may: byToken() },
  ];
};

/**
 * For an operation that takes a right: delegates with exactly one permission that gives it, with all others together, and API tokens that
 * are limited to either.
 */
const delegatesOf = (app: App): ((right: string) => Promise<readonly Caller[]>) => {
  const made = new Map<string, Promise<readonly Caller[]>>();
  const make = async (permissions: readonly string[]): Promise<readonly Caller[]> => {
    const name =
      permissions.length === 1 ? permissions.join() : `all permissions but ${PERMISSIONS.filter((each) => !permissions.includes(each))}`;
    const as = await (await app.user({ permissions })).login();
    const { secret } = await giveToken(app, (await app.user({ isAdmin: true })).id, { permissions });
    const may: Caller['may'] = (operation) => user(operation) || allowing(operation.right).some((each) => permissions.includes(each));
    return [
      { name: `a delegate with ${name}`, as, may },
      { name: `an API token with ${name}`, as: secret, may: byToken(permissions) },
    ];
  };
  return async (right) => {
    const sets = [...allowing(right).map((name) => [name]), others(right)];
    const callers = sets.map((permissions) => {
      const key = permissions.join();
      const known = made.get(key) ?? make(permissions);
      made.set(key, known);
      return known;
    });
    return (await Promise.all(callers)).flat();
  };
};

const assertJudged = (operation: Operation, { name, may }: Caller, answer: Answer): void => {
  const { status, text, body } = answer;
  const why = `${name}: ${status} ${text}`;
  if (!may(operation)) {
    assert.notEqual(status, 400, `${why}\nits body must be valid: see MORE in rights-calls.ts`);
    const hasSession = may({ ...operation, who: 'session', byToken: false });
    assert.equal(status, hasSession ? operation.refusal : 401, why);
    assert.equal(body.error.code, 'UNAUTHORIZED', why);
    assert.ok(!isForAdministrators(answer), why);
  } else if (status === 401 && !isForAdministrators(answer)) {
    // It is open to those that have the certificate of a router, which no caller here has.
    assert.deepEqual(
      [operation.path, body.error.cause.message],
      ['/enroll/extend/router', 'the certificate is not the current one of a router'],
      why,
    );
  } else assert.ok(status !== 403 && status < 500, why);
};

test('the published document has each operation of the table with its permissions, and no other', async () => {
  await using app = await openApp('memory');
  const { paths } = await publishedBy(app);
  const published = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, 'x-permissions': permissions }]) => [
      `${method.toUpperCase()} ${path}`,
      permissions?.toSorted() ?? (security ? 'anyone' : 'session'),
    ]),
  );
  const expected = operations.map((each) => {
    const { who, right } = each;
    return [nameOf(each), who === 'right' ? allowing(right).toSorted() : who === 'anyone' ? who : 'session'];
  });
  const listed = new Set(expected.map(([name]) => name));
  const missing = published.flatMap(([name]) => (listed.has(name) ? [] : [name]));
  assert.deepEqual(missing, [], 'test/security/rights-table.ts needs a line for each of these');
  assert.deepEqual(Object.fromEntries(published), Object.fromEntries(expected), 'test/security/rights-table.ts says otherwise');
  const both = 'ENTITIES in test/security/rights-table.ts and in src/contract/api/permissions.ts differ';
  assert.deepEqual(PUBLISHED.toSorted(), PERMISSIONS.toSorted(), both);
});

test(
  'each operation is open to those who have its right, and closed to all others',
  proves(
    298,
    303,
    304,
    305,
    306,
    307,
    308,
    337,
    338,
    339,
    340,
    342,
    343,
    344,
    345,
    346,
    347,
    351,
    352,
    353,
    361,
    362,
    363,
    366,
    367,
    368,
    369,
    370,
    371,
    372,
    373,
    374,
    375,
    376,
    377,
    381,
    382,
    383,
    384,
    385,
    386,
    387,
    388,
    389,
    391,
    392,
    393,
    394,
    395,
    396,
    397,
    398,
    399,
    400,
    401,
    402,
    403,
    404,
    405,
    406,
    407,
    408,
    409,
    412,
    413,
    436,
    448,
  ),
  async (t) => {
    await using app = await openApp('memory');
    const document = await publishedBy(app);
    const [callers, delegates] = [await callersOf(app), delegatesOf(app)];
    const certificates = [(await party('ann')).certificate.der];
    for (const operation of operations.filter(({ api }) => api !== 'provider'))
      await t.test(`${nameOf(operation)} is for ${operation.right}`, async () => {
        const ends = operation.method === 'DELETE' && operation.path === '/current-api-session';
        await using own = ends ? await openApp('memory') : undefined; // what ends sessions gets sessions of its own
        const all = own ? await callersOf(own) : [...callers, ...(operation.right === 'none' ? [] : await delegates(operation.right))];
        for (const caller of all) {
          const { as } = caller;
          const answer = await send(own ?? app, operation, bodyFor(document, operation), 'no-such-id', { as, certificates });
          assertJudged(operation, caller, answer);
        }
      });
  },
);
