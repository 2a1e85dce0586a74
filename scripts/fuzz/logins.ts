/** Sends the steps of logins at the OpenID provider in any order and media type, from legitimate and illegitimate senders. */
import fc from 'fast-check';
import type { Answer, App } from '../../test/support/app.ts';
import { totp } from '../../test/support/mfa.ts';
import { type Begun, basic, bearer, begin, get, inLocation, post, redeem } from '../../test/support/oidc.ts';
import { policyBody } from '../../test/support/policies.ts';
import type { RemoteApp } from './network.ts';
import { PASSWORD } from './server.ts';

/** Maximum number of concurrent logins. */
const MAX_LOGINS = 20;
const MEDIA = ['application/json', 'text/html', '*/*', 'text/plain', 'image/png', ''] as const;
const FORMS = ['form', 'json', 'text', 'none'] as const;
const PATHS = [
  ...[
    '/login/username',
    '/login/password',
    '/login/cert',
    '/login/ext-jwt',
    '/login/totp',
    '/login/totp/enroll',
    '/login/totp/enroll/verify',
  ],
  ...['/authorize', '/oauth/token', '/oauth/introspect', '/revoke', '/oauth/revoke', '/end_session', '/userinfo'],
] as const;

const step = fc.record({
  which: fc.nat(MAX_LOGINS - 1),
  path: fc.constantFrom(...PATHS),
  isRead: fc.integer({ min: 0, max: 9 }).map((n) => n < 2),
  action: fc.constantFrom('begin', 'step', 'step', 'step', 'step', 'callback', 'queries', 'page', 'redeem', 'giveUp'),
  form: fc.constantFrom('form', ...FORMS),
  accept: fc.constantFrom(...MEDIA),
  withCookie: fc.boolean(),
  withKey: fc.boolean(),
  isRight: fc.boolean(),
  odd: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, { arbitrary: fc.string({ maxLength: 3000, unit: 'binary' }), weight: 1 }),
  oddField: fc.constantFrom(
    'id',
    'username',
    'password',
    'code',
    'configTypes',
    'token',
    'state',
    'refresh_token',
    'grant_type',
    'redirect_uri',
  ),
  origin: fc.constantFrom(undefined, undefined, 'null', 'https://evil.example', 'http://localhost:1', '', 'x'.repeat(2000)),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A login in progress, with the values from its responses. */
interface LoginState extends Begun {
  cookie: string;
  key: string | undefined;
  code: string | undefined;
  secret: string | undefined;
}

/** Returns a function that sends a step. The step depends on the seed and on the results of earlier steps. */
export const createLogins = async (remote: RemoteApp) => {
  // The cast is safe, because the steps use only these members of the tests' app.
  const app = remote as unknown as App;
  const authPolicyId = await app.create('/auth-policies', policyBody('fuzzed logins', { secondary: { requireTotp: true } }));
  const users = [await app.user(), await app.user({ authPolicyId }), await app.user({ authPolicyId })];
  const logins: LoginState[] = [];
  let token = 'x';

  const answerTo = async (one: Step, login: LoginState): Promise<Answer> => {
    const { form, accept, action, path, isRight, odd, oddField, origin, withCookie, withKey, isRead } = one;
    const headers = {
      ...(accept ? { accept } : {}),
      ...(withCookie && login.cookie ? { cookie: login.cookie } : {}),
      ...(origin === undefined ? {} : { origin: origin.replaceAll(/[^ -~]/g, '') }),
      ...(isRight ? basic() : bearer(token)),
    };
    const user = users[one.which % users.length] ?? users[0];
    const code = isRight && login.secret ? totp(login.secret, Date.now()) : '123456';
    const fields = {
      ...{ id: login.id, username: user?.username, password: isRight ? PASSWORD : 'x', code },
      ...{ client_id: 'openziti', token, grant_type: 'refresh_token', refresh_token: token },
      ...(odd === undefined ? {} : { [oddField]: odd }),
    };
    if (action === 'callback') return get(app, '/authorize/callback', { id: login.id, key: withKey ? login.key : undefined }, { headers });
    if (action === 'queries') return get(app, '/login/auth-queries', { id: login.id }, { headers });
    if (action === 'page') return get(app, '/login/username', { authRequestID: login.id }, { headers });
    if (action === 'redeem') return redeem(app, login, login.code ?? 'x', odd === undefined ? {} : { [oddField]: odd });
    if (action === 'giveUp') return app.request('DELETE', '/oidc/login/totp/enroll', { as: null, body: fields, headers });
    if (isRead) return get(app, path, fields, { headers });
    if (form === 'form') return post(app, path, fields, { headers });
    if (form === 'none') return app.request('POST', `/oidc${path}?id=${login.id}`, { as: null, headers });
    const raw = form === 'json' ? JSON.stringify(fields) : (odd ?? 'x');
    return app.request('POST', `/oidc${path}`, {
      as: null,
      raw,
      headers: { ...headers, 'content-type': form === 'json' ? 'application/json' : 'text/plain' },
    });
  };

  return async (seed: number): Promise<{ readonly about: string; readonly answer: Answer | undefined }> => {
    const one = fc.sample(step, { seed, numRuns: 1 })[0] as Step; // one run yields one step
    const about = `a login: ${one.action} ${one.path} as ${one.form}, accepting ${one.accept} (seed ${seed})`;
    const known = logins[one.which % Math.max(1, logins.length)];
    if (one.action === 'begin' || !known) {
      const begun = await begin(app);
      logins.splice(one.which, logins.length < MAX_LOGINS ? 0 : 1, {
        ...begun,
        cookie: '',
        key: undefined,
        code: undefined,
        secret: undefined,
      });
      return { about, answer: undefined };
    }
    const answer = await answerTo(one, known);
    known.cookie = (answer.headers['set-cookie'] ?? '').split(';')[0] || known.cookie;
    known.key = inLocation(answer, 'key') ?? known.key;
    known.code = inLocation(answer, 'code') ?? known.code;
    known.secret = /secret=([A-Z2-7]+)/.exec(answer.text)?.[1] ?? known.secret;
    token = /"refresh_token":"([^"]+)"/.exec(answer.text)?.[1] ?? token;
    return { about, answer };
  };
};
