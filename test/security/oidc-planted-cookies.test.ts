/**
 * A neighbour below the same domain sets a cookie for all of it, whose value looks like the cookie of a login: its secret must not become
 * that of the browser.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { begin, byPassword, get, post } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';

const SECRET = 'A'.repeat(43);
const PLANTED = `__Host-overlay-login=${SECRET}`;
/** Cookies that any page below the domain can set: no name of theirs has the prefix `__Host-`. */
const OF_NEIGHBOUR = [
  `theme=dark,${PLANTED}`,
  `theme=dark, ${PLANTED}`,
  `theme="dark, ${PLANTED}"`,
  `a=b ${PLANTED}`,
  `a=${PLANTED}`,
  `a=b\t${PLANTED}`,
  `x${PLANTED}`,
];

const secretOf = (setCookie = ''): string => /^__Host-overlay-login=([\w-]{43});/.exec(setCookie)?.[1] ?? assert.fail(setCookie);

onEveryStore('a cookie that a neighbour has planted', (open) => {
  test('is not taken for the secret of the browser, so the neighbour cannot finish the login of its victim', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    for (const planted of OF_NEIGHBOUR) {
      const victim = await app.user({ authPolicyId });
      const login = await begin(app);
      const accept = 'text/html';
      const shown = await get(app, '/login/username', { authRequestID: login.id }, { headers: { accept, cookie: planted } });
      const own = secretOf(shown.headers['set-cookie']);
      assert.notEqual(own, SECRET, planted);
      const cookie = `${planted}; __Host-overlay-login=${own}`;
      const step = await byPassword(app, login, victim.username, PASSWORD, { headers: { accept, cookie } });
      assert.equal(step.status, 200, planted);
      const stolen = await post(app, '/login/totp/enroll', { id: login.id }, { headers: { accept, cookie: PLANTED } });
      assert.equal(stolen.status, 401, planted);
      assert.equal((await post(app, '/login/totp/enroll', { id: login.id }, { headers: { accept, cookie } })).status, 200, planted);
    }
  });
});

test('the cookie of a login is found among others, wherever it stands', async () => {
  await using app = await openApp('memory');
  for (const cookie of [PLANTED, `a=b; ${PLANTED}`, `${PLANTED}; a=b`, `a=b;${PLANTED};c=d`, `a; =b; ; ${PLANTED}`]) {
    const { headers } = await get(app, '/login/username', {}, { headers: { accept: 'text/html', cookie } });
    assert.equal(secretOf(headers['set-cookie']), SECRET, cookie);
  }
});
