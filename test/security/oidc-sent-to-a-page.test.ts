/**
 * An attacker begins a login, and sends its victim to the genuine login page: whoever began a login knows its id, and must gain nothing by
 * it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { totp } from '../support/mfa.ts';
import { type Begun, begin, byPassword, codeOf, get, inLocation, post, redeem, tokensIn } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';

const ENROLL = '/login/totp/enroll';
const VERIFY = '/login/totp/enroll/verify';
/** The forms of an answer that an attacker may ask for. */
const MEDIA = ['application/json', 'text/html', '*/*', undefined] as const;
const accepting = (accept: string | undefined) => (accept === undefined ? {} : { headers: { accept } });

const requiringTotp = (app: App) => app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));

/** The victim signs in on the page that the attacker's link leads to. */
const signIn = async (app: App, { id }: Begun, username: string) => {
  const browser = openBrowser(app);
  const shown = await browser.submit(await browser.open(`/oidc/login/username?authRequestID=${id}`), { username, password: PASSWORD });
  return { browser, shown };
};

/** Every request by which a login goes on, from a program that knows its id. */
const attempts = async (app: App, { id }: Begun, code: string): Promise<readonly (readonly [string, Answer])[]> => {
  const attacker = await app.user();
  const all: (readonly [string, Answer])[] = [];
  for (const accept of MEDIA) {
    const options = accepting(accept);
    for (const [at, fields] of [
      [ENROLL, { id }],
      [VERIFY, { id, code }],
      ['/login/totp', { id, code }],
      ['/login/username', { id, username: attacker.username, password: PASSWORD }],
      ['/login/password', { id, username: attacker.username, password: PASSWORD }],
      ['/login/cert', { id }],
      ['/login/ext-jwt', { id }],
    ] as const)
      all.push([`POST ${at} accepting ${accept}`, await post(app, at, fields, options)]);
    for (const path of [`${ENROLL}?id=${id}`, ENROLL]) {
      const answer = await app.request('DELETE', `/oidc${path}`, { as: null, body: { id, code }, ...options });
      all.push([`DELETE ${path} accepting ${accept}`, answer]);
    }
    all.push([`GET /login/auth-queries accepting ${accept}`, await get(app, '/login/auth-queries', { id }, options)]);
    all.push([`GET /authorize/callback accepting ${accept}`, await get(app, '/authorize/callback', { id }, options)]);
    all.push([`the same with a key`, await get(app, '/authorize/callback', { id, key: code }, options)]);
  }
  return all;
};

const assertNothingGained = (answers: readonly (readonly [string, Answer])[]): void => {
  for (const [what, answer] of answers) {
    assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status} ${answer.headers.location} ${answer.text}`);
    assert.doesNotMatch(`${answer.text}${answer.headers.location ?? ''}`, /otpauth|recoveryCodes|class="key"|[?&](code|key)=/, what);
  }
};

onEveryStore('the page of a login that somebody else began', (open) => {
  test('a login that owes an enrollment in TOTP is finished by the browser of its owner, and by no one who knows its id', async () => {
    await using app = await open();
    const authPolicyId = await requiringTotp(app);
    const victim = await app.user({ authPolicyId });
    const login = await begin(app);
    const { browser, shown } = await signIn(app, login, victim.username);
    assertNothingGained(await attempts(app, login, '123456'));

    const scan = await browser.submit(shown);
    const secret = [...(/class="key">(.*?)<\/code>/.exec(scan.page)?.[1] ?? '').matchAll(/<span>(\w+)<\/span>/g)]
      .map(([, four]) => four)
      .join('');
    const code = totp(secret, app.clock.now());
    assertNothingGained(await attempts(app, login, code));
    const { url } = await browser.submit(scan, { code });
    assert.ok(url.searchParams.get('code'), url.href);
    assertNothingGained(await attempts(app, login, code));
    tokensIn(await redeem(app, login, url.searchParams.get('code') ?? ''));
  });

  test('the key of a callback is worth nothing in another browser, nor is the cookie of another login', async () => {
    await using app = await open();
    const [victim, attacker] = [await app.user(), await app.user()];
    const login = await begin(app);
    const id = login.id;
    const page = { headers: { accept: 'text/html' } };
    const step = await byPassword(app, login, victim.username, PASSWORD, page);
    const key = inLocation(step, 'key');
    assert.ok(key);
    assert.equal((await get(app, '/authorize/callback', { id, key }, page)).status, 400, 'no cookie');
    const other = await signIn(app, await begin(app), attacker.username);
    const cookie = other.browser.cookies;
    assert.match(cookie, /^__Host-/);
    assert.equal((await get(app, '/authorize/callback', { id, key }, { headers: { accept: 'text/html', cookie } })).status, 400);
    const own = (step.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    assert.equal((await get(app, '/authorize/callback', { id }, { headers: { cookie: own } })).status, 400, 'no key');
    assert.ok(inLocation(await get(app, '/authorize/callback', { id, key }, { headers: { cookie: own } }), 'code'));
  });

  test('a step of another media type is refused in the same browser, and leaves the login as it is', async () => {
    await using app = await open();
    const authPolicyId = await requiringTotp(app);
    const victim = await app.user({ authPolicyId });
    const login = await begin(app);
    const { browser, shown } = await signIn(app, login, victim.username);
    const headers = { accept: 'application/json', cookie: browser.cookies };
    for (const [at, fields] of [
      [ENROLL, {}],
      ['/login/username', { username: victim.username, password: PASSWORD }],
    ] as const)
      assert.equal((await post(app, at, { id: login.id, ...fields }, { headers })).status, 401, at);
    assertNothingGained(await attempts(app, login, '123456'));
    assert.match((await browser.submit(shown)).page, /class="key"/);
  });

  test('a login that an attacker has gone through in its own browser cannot be taken over by the page of its victim', async () => {
    await using app = await open();
    const [attacker, victim] = [await app.user(), await app.user()];
    const login = await begin(app);
    await signIn(app, login, attacker.username);
    const { shown } = await signIn(app, login, victim.username);
    assert.equal(shown.status, 401);
    assert.match(shown.page, /another browser/);
  });

  test('between the steps of the page, too: of a hundred questions while it works, none gets a code', async () => {
    await using app = await open();
    const user = await app.user();
    const login = await begin(app);
    const page = { headers: { accept: 'text/html' } };
    const watched = async () => inLocation(await get(app, '/authorize/callback', { id: login.id }), 'code');
    const [, ...codes] = await Promise.all([
      byPassword(app, login, user.username, PASSWORD, page),
      ...Array.from({ length: 100 }, watched),
    ]);
    assert.deepEqual([...new Set([...codes, await watched()])], [undefined]);
  });
});

onEveryStore('an enrollment in TOTP during a login', (open) => {
  test('is made only while it is owed', async () => {
    await using app = await open();
    const user = await app.user();
    const login = await begin(app);
    await byPassword(app, login, user.username);
    const { status, text } = await post(app, ENROLL, { id: login.id });
    assert.equal(status, 401, text);
    assert.equal(await app.count('mfa'), 0);
    assert.ok(await codeOf(app, login), 'the login owes nothing');
  });

  test('is replaced by the browser that began it, in another tab as well, and by no other one until it is given up', async () => {
    await using app = await open();
    const user = await app.user({ authPolicyId: await requiringTotp(app) });
    const first = await begin(app);
    const { browser, shown } = await signIn(app, first, user.username);
    const idOfMfa = async () => (await app.rows('mfa')).map(({ id }) => id).join();
    await browser.submit(shown);
    const begun = await idOfMfa();
    await browser.submit(shown);
    const again = await idOfMfa();
    assert.notEqual(again, begun, 'started again');

    const second = await signIn(app, await begin(app), user.username);
    const refused = await second.browser.submit(second.shown);
    assert.equal(refused.status, 409);
    assert.match(refused.page, /another browser/);
    const program = await begin(app);
    await byPassword(app, program, user.username);
    assert.equal((await post(app, ENROLL, { id: program.id })).status, 409);
    assert.equal((await app.request('DELETE', `/oidc${ENROLL}`, { as: null, body: { id: program.id } })).status, 401);
    assert.equal(await idOfMfa(), again);

    const tab = await browser.open(`/oidc/login/username?authRequestID=${(await begin(app)).id}`);
    await browser.submit(await browser.submit(tab, { username: user.username, password: PASSWORD }));
    assert.notEqual(await idOfMfa(), again);

    app.clock.advance('11m');
    const later = await signIn(app, await begin(app), user.username);
    assert.match((await later.browser.submit(later.shown)).page, /class="key"/, 'nobody is locked out by an enrollment that was abandoned');
  });

  test('is given up by the program that began it', async () => {
    await using app = await open();
    const user = await app.user({ authPolicyId: await requiringTotp(app) });
    const login = await begin(app);
    await byPassword(app, login, user.username);
    assert.equal((await post(app, ENROLL, { id: login.id })).status, 201);
    assert.equal((await post(app, ENROLL, { id: login.id })).status, 409);
    assert.equal((await app.request('DELETE', `/oidc${ENROLL}`, { as: null, body: { id: login.id } })).status, 200);
    assert.equal((await post(app, ENROLL, { id: login.id })).status, 201);
  });
});
