/** How long tokens of the provider live, how many of a session, and what they need to be good. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import {
  bearer,
  certificateTokens,
  claimsOf,
  exchange,
  forRefresh,
  lives,
  refresh,
  type Tokens,
  tokensIn,
  tokensOf,
  withToken,
} from '../support/oidc.ts';
import { csr } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { newSharedStorage } from '../support/stores.ts';

const AT = '/edge/client/v1/current-api-session/certificates';

const exchanged = async (app: App, { refresh_token }: Pick<Tokens, 'refresh_token'>): Promise<Tokens> =>
  tokensIn(await exchange(app, forRefresh(refresh_token)));

const ask = (app: App, authorization: string) => app.request('GET', '/current-identity', { as: null, headers: { authorization } });

onEveryStore('tokens of a session', (open) => {
  test('are 64 of each kind: the newest live, of more the oldest are dead', async () => {
    await using app = await open();
    const { username } = await app.user();
    const all = [await tokensOf(app, username)];
    // An exchange spends nothing, so that tokens pile up.
    while (all.length < 70) all.push(await exchanged(app, all.at(-1) ?? assert.fail()));
    const living = await Promise.all(all.map(({ access_token }) => lives(app, access_token)));
    assert.deepEqual(living, [...Array(6).fill(false), ...Array(64).fill(true)]);
    const [oldest, newest] = [all.at(5), all.at(6)];
    assert.equal((await refresh(app, oldest?.refresh_token ?? '')).body.error, 'invalid_grant');
    assert.equal((await refresh(app, newest?.refresh_token ?? '')).status, 200);
  });

  test('end with the longest life of a session, however often they are renewed', async () => {
    await using app = await open({ oidc: { maxSessionMinutes: 60, accessTokenMinutes: 20, refreshTokenMinutes: 120 } });
    const { username } = await app.user();
    let tokens = await tokensOf(app, username);
    const end = claimsOf(tokens.access_token).auth_time + 3600;
    assert.deepEqual([claimsOf(tokens.access_token).exp, claimsOf(tokens.refresh_token).exp], [end - 2400, end]);
    app.clock.advance('50m');
    tokens = tokensIn(await refresh(app, tokens.refresh_token));
    assert.deepEqual([claimsOf(tokens.access_token).exp, claimsOf(tokens.refresh_token).exp], [end, end]);
    tokens = await exchanged(app, tokens);
    assert.deepEqual([claimsOf(tokens.access_token).exp, claimsOf(tokens.refresh_token).exp], [end, end]);
    app.clock.advance('10m');
    assert.equal(await lives(app, tokens.access_token), false);
    assert.equal((await refresh(app, tokens.refresh_token)).body.error, 'invalid_grant');
    const again = await exchange(app, forRefresh(tokens.refresh_token));
    assert.equal(again.body.error, 'invalid_grant');
  });

  test('end at once with a longest life that the host has shortened since', async () => {
    await using shared = newSharedStorage('memory');
    await using before = await open({ storage: shared.adapter() });
    const { username } = await before.user();
    const { refresh_token } = await tokensOf(before, username);
    await using after = await open({ storage: shared.adapter(), oidc: { maxSessionMinutes: 60 } });
    after.clock.advance('59m');
    assert.equal((await exchange(after, forRefresh(refresh_token))).status, 200);
    after.clock.advance('1m');
    assert.equal((await refresh(after, refresh_token)).body.error, 'invalid_grant');
  });

  test('serve beside one that has expired, in either order, and an expired one alone does not', async () => {
    await using app = await open();
    const { username } = await app.user();
    const expired = await tokensOf(app, username);
    app.clock.advance('31m');
    const good = await tokensOf(app, username);
    const { authorization } = bearer(good.access_token);
    const dead = bearer(expired.access_token).authorization;
    assert.equal((await ask(app, dead)).status, 401);
    for (const both of [`${dead}, ${authorization}`, `${authorization}, ${dead}`]) assert.equal((await ask(app, both)).status, 200, both);
    assert.equal((await ask(app, `${dead}, ${dead}`)).status, 401);
  });
});

onEveryStore('a token of a login by certificate', (open) => {
  /** A certificate that the session has got for itself. */
  const sessionCertificate = async (
    app: App,
    { access_token }: Tokens,
    certificates: readonly Uint8Array[],
  ): Promise<readonly Uint8Array[]> => {
    const body = { csr: (await csr('CN=session')).csr };
    const made = await withToken(app, access_token, AT, { method: 'POST', body, certificates });
    assert.equal(made.status, 201, made.text);
    return [new X509Certificate(made.body.data.certificate).raw];
  };

  test('is good with a certificate of its session, until that expires, and with none of another session', async () => {
    await using app = await open({ oidc: { accessTokenMinutes: 24 * 60, refreshTokenMinutes: 48 * 60 } });
    const { certificates } = await aCertificate(app);
    const tokens = await certificateTokens(app, certificates);
    const others = await certificateTokens(app, certificates);
    const own = await sessionCertificate(app, tokens, certificates);
    const foreign = await sessionCertificate(app, others, certificates);
    const statusWith = async (presented: readonly Uint8Array[]) =>
      (await withToken(app, tokens.access_token, '/current-identity', { certificates: presented })).status;
    assert.deepEqual([await statusWith(own), await statusWith(foreign), await statusWith(certificates)], [200, 401, 200]);
    assert.equal((await refresh(app, tokens.refresh_token, {}, { certificates: foreign })).body.error, 'access_denied');
    app.clock.advance('12h');
    assert.equal(await statusWith(own), 200, 'until its last second');
    app.clock.advance('1s');
    assert.deepEqual([await statusWith(own), await statusWith(certificates)], [401, 200]);
    assert.equal((await refresh(app, tokens.refresh_token, {}, { certificates: own })).body.error, 'access_denied');
    assert.equal((await refresh(app, tokens.refresh_token, {}, { certificates })).status, 200);
  });

  test('ends with its certificate, unless the policy allows expired ones', async () => {
    await using app = await open({ oidc: { accessTokenMinutes: 400 * 24 * 60, refreshTokenMinutes: 800 * 24 * 60 } });
    const { certificates, identityId } = await aCertificate(app);
    const policyOf = async (allowExpiredCerts: boolean) => {
      const body = policyBody(`expired certificates: ${allowExpiredCerts}`, { cert: { allowExpiredCerts } });
      const { id: authPolicyId } = await app.controller.api.authPolicies.create({ body });
      await app.controller.api.identities.patch({ id: identityId, body: { authPolicyId } });
    };
    await policyOf(false);
    const tokens = await certificateTokens(app, certificates);
    const statusNow = async () => (await withToken(app, tokens.access_token, '/current-identity', { certificates })).status;
    assert.equal(await statusNow(), 200);
    app.clock.suspend('366d');
    assert.equal(await statusNow(), 401);
    await policyOf(true);
    assert.equal(await statusNow(), 200);
  });
});
