import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { basic, bearer, begin, lives, post, tokensOf, withToken } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { type CertificateSigner, certificateSigner, claimsOf, providerKey, sign } from '../support/provider.ts';

const NO_TOKEN = 'error="missing" error_description="no matching token was provided"';
const MISSING = `zt-session realm="zt-session" ${NO_TOKEN},Bearer realm="openziti-oidc" ${NO_TOKEN}`;
const INVALID = 'error="invalid" error_description="token is invalid"';
const EXPIRED = 'error="expired" error_description="token expired"';
const OIDC = 'Bearer realm="openziti-oidc"';

const secondary = ({ id, issuer }: Pick<CertificateSigner, 'id' | 'issuer'>, error: string) =>
  `Bearer realm="openziti-secondary-ext-jwt" ${error} id="${id}" issuer="${issuer}"`;

onEveryStore('challenges', (open) => {
  const challengeOf = async (app: App, headers: Readonly<Record<string, string>>, path = '/current-identity') =>
    (await app.request('GET', path, { as: null, headers })).headers['www-authenticate'];

  test('a call without a token, or with one of an unknown issuer, learns what to present', async () => {
    await using app = await open();
    const foreign = await sign(claimsOf('https://elsewhere.example', { sub: 'ann' }), await providerKey('theirs'));
    for (const headers of [{}, bearer(foreign), basic()]) assert.equal(await challengeOf(app, headers), MISSING);
  });

  test('a token of this network that is invalid, revoked or expired is distinguished', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { access_token, refresh_token } = await tokensOf(app, username);
    for (const bad of [`${access_token.slice(0, -4)}AAAA`, refresh_token, 'garbage'])
      assert.equal(await challengeOf(app, bearer(bad)), `${OIDC} ${INVALID}`);
    assert.equal(await challengeOf(app, { 'zt-session': 'unknown' }), `zt-session realm="zt-session" ${INVALID}`);
    app.clock.advance('31m');
    assert.equal(await challengeOf(app, bearer(access_token)), `${OIDC} ${EXPIRED}`);
    const { access_token: next } = await tokensOf(app, username);
    await withToken(app, next, '/current-api-session', { method: 'DELETE' });
    assert.equal(await lives(app, next), false);
    assert.equal(await challengeOf(app, bearer(next)), `${OIDC} ${INVALID}`);
  });

  test('a session without the right, one that owes a code, and a refused password get no challenge', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const refused = [
      await app.request('GET', '/identities', { as }),
      await app.request('POST', '/authenticate?method=password', { as: null, body: { username: 'admin', password: 'wrong' } }),
      await app.request('POST', '/authenticate?method=cert', { as: null, body: {} }),
    ];
    await enrollMfa(app, as);
    refused.push(await app.request('GET', '/services', { as: await user.login() }));
    for (const { status, headers } of refused) assert.deepEqual([status, headers['www-authenticate']], [401, undefined]);
  });

  test('a refused login with an external token names all enabled signers, and says what was wrong', async () => {
    await using app = await open();
    const login = async (...tokens: readonly string[]) => {
      const authorization = tokens.map((token) => `Bearer ${token}`).join(', ');
      const headers = tokens.length > 0 ? { authorization } : {};
      const plain = await app.request('POST', '/edge/client/v1/authenticate?method=ext-jwt', { as: null, headers, body: {} });
      const { id } = await begin(app);
      const byProvider = await post(app, '/login/ext-jwt', { id }, { headers: { accept: 'application/json', ...headers } });
      assert.deepEqual([plain.status, byProvider.status], [401, 401]);
      assert.equal(plain.headers['www-authenticate'], byProvider.headers['www-authenticate']);
      return plain.headers['www-authenticate'];
    };
    assert.equal(await login('garbage'), undefined, 'there is no signer');
    const signer = await certificateSigner(app);
    const disabled = await certificateSigner(app, { enabled: false });
    const primary = (error: string) => `Bearer realm="openziti-primary-ext-jwt" ${error} id="${signer.id}" issuer="${signer.issuer}"`;
    const expired = await signer.token({ sub: 'ann', exp: 1 });
    const forged = await sign(claimsOf(signer.issuer, { sub: 'ann' }), await providerKey(signer.key.kid));
    const foreign = await sign(claimsOf('https://elsewhere.example', { sub: 'ann' }), await providerKey('theirs'));
    for (const tokens of [[], ['garbage'], [foreign], [await signer.token({ sub: 'nobody' })], [await disabled.token({ sub: 'ann' })]])
      assert.equal(await login(...tokens), primary(NO_TOKEN));
    assert.equal(await login(expired), primary(EXPIRED));
    assert.equal(await login(forged), primary(INVALID));
    assert.equal(await login(forged, expired), primary(EXPIRED), 'expired wins');
    const other = await certificateSigner(app);
    const both = /id="(.*)\|(.*)" issuer="(.*)\|(.*)"$/.exec((await login()) ?? '')?.slice(1) ?? [];
    assert.deepEqual(both.toSorted(), [signer.id, signer.issuer, other.id, other.issuer].toSorted());
  });

  test('a session that owes a token is challenged with every answer until it presents one', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const authPolicyId = await app.create('/auth-policies', policyBody('two', { secondary: { requireExtJwtSigner: signer.id } }));
    const user = await app.user({ authPolicyId, isAdmin: true });
    const body = { username: user.username, password: PASSWORD };
    const answer = await app.request('POST', '/authenticate?method=password', { as: null, body });
    assert.deepEqual([answer.status, answer.headers['www-authenticate']], [200, secondary(signer, NO_TOKEN)]);
    const as = answer.headers['zt-session'] ?? '';
    const ask = async (path: string, token?: string) => {
      const { status, headers } = await app.request('GET', path, { as, headers: token === undefined ? {} : bearer(token) });
      return [status, headers['www-authenticate']];
    };
    assert.deepEqual(await ask('/current-api-session'), [200, secondary(signer, NO_TOKEN)]);
    assert.deepEqual(await ask('/identities'), [401, secondary(signer, NO_TOKEN)]);
    assert.deepEqual(await ask('/identities', await signer.token({ sub: user.id, exp: 1 })), [401, secondary(signer, EXPIRED)]);
    const forged = await sign(claimsOf(signer.issuer, { sub: user.id }), await providerKey(signer.key.kid));
    assert.deepEqual(await ask('/identities', forged), [401, secondary(signer, INVALID)]);
    assert.deepEqual(await ask('/identities', await signer.token({ sub: user.id })), [200, undefined]);

    const login = await begin(app);
    const step = (headers = {}) =>
      post(app, '/login/username', { id: login.id, ...body }, { headers: { accept: 'application/json', ...headers } });
    const owing = await step();
    assert.deepEqual([owing.status, owing.headers['www-authenticate']], [200, secondary(signer, NO_TOKEN)]);
    const wrong = await step(bearer(forged));
    assert.deepEqual([wrong.status, wrong.headers['www-authenticate']], [200, secondary(signer, INVALID)]);
    const done = await step(bearer(await signer.token({ sub: user.id })));
    assert.deepEqual([done.status, done.headers['www-authenticate']], [302, undefined]);
  });
});
