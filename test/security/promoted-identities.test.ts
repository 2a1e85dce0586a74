/**
 * A signer or an authority that a delegate wrote proves nobody with rights. What it opened for an identity must not become an
 * administrator's later.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aForeignCertificate, COMMON_NAME, certificateLogin } from '../support/certificates.ts';
import {
  bearer,
  begin,
  byPassword,
  codeOf,
  exchange,
  forRefresh,
  post,
  redeem,
  refresh,
  type Tokens,
  tokensIn,
  tokensOf,
} from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';

type Person = Awaited<ReturnType<App['user']>>;

/** All ways to give rights to an identity. */
const PROMOTIONS: Readonly<Record<string, (app: App, person: Person) => Promise<unknown>>> = {
  'a patch that makes it an administrator': ({ controller }, { id }) => controller.api.identities.patch({ id, body: { isAdmin: true } }),
  'a patch of its permissions': ({ controller }, { id }) =>
    controller.api.identities.patch({ id, body: { permissions: ['identity.read'] } }),
  'a patch of its scopes': ({ controller }, { id }) =>
    controller.api.identities.patch({ id, body: { scopedPermissions: { 'identity.read': { roleAttributes: ['a'] } } } }),
  'a replacement': ({ controller }, { id, username: name }) =>
    controller.api.identities.replace({ id, body: { name, type: 'User', isAdmin: true } }),
  'an upsert': ({ controller }, { username: name }) =>
    controller.api.identities.upsert({ body: { name, type: 'User', isAdmin: true } as never }),
  'a batch': ({ controller }, { id }) =>
    controller.api.batch.run({ body: { operations: [{ operation: 'identities.patch', input: { id, body: { isAdmin: true } } }] } }),
  'a state document': async ({ controller: { api } }, { username }) => {
    const document = await api.state.export();
    const identities = document.identities?.map((each) => (each.name === username ? { ...each, isAdmin: true } : each));
    await api.state.apply({ body: { document: { identities } as never } });
  },
  'a revert': async ({ controller: { api } }, { id }) => {
    const entries = (await api.history.list({ kind: 'identity', id })).data;
    const wasAdmin = entries.find(({ after }) => after?.isAdmin === true);
    await api.history.revert({ kind: 'identity', id, body: { revision: wasAdmin?.revision ?? 0 } });
  },
};

const isValid = async (app: App, as: string) => (await app.request('GET', '/current-identity', { as })).status === 200;
const isAccepted = async (app: App, { access_token }: Tokens) =>
  (await app.request('GET', '/current-identity', { as: null, headers: bearer(access_token) })).status === 200;

const byToken = (app: App, id: string, token: string) =>
  post(app, '/login/ext-jwt', { id }, { headers: { authorization: `Bearer ${token}` } });

onEveryStore('an identity that gains rights', (open) => {
  for (const [name, promote] of Object.entries(PROMOTIONS))
    test(`by ${name}, keeps no session, token or login under way that a signer opened`, async () => {
      await using app = await open();
      const signer = await certificateSigner(app, { useExternalId: true });
      const ann = await app.user({ externalId: 'ann@example.org', isAdmin: true });
      await app.controller.api.identities.patch({ id: ann.id, body: { isAdmin: false } });
      const token = await signer.token({ sub: 'ann@example.org' });
      const session: string = (await loginByToken(app, token)).body.data.token;
      const started = async () => {
        const login = await begin(app);
        assert.equal((await byToken(app, login.id, token)).status, 302);
        return { login, code: await codeOf(app, login) };
      };
      const { login, code } = await started();
      const tokens = tokensIn(await redeem(app, login, code));
      const late = await started();
      assert.deepEqual([await isValid(app, session), await isAccepted(app, tokens)], [true, true]);
      await promote(app, ann);
      assert.deepEqual([await isValid(app, session), await isAccepted(app, tokens)], [false, false]);
      for (const { status } of [
        await refresh(app, tokens.refresh_token),
        await exchange(app, forRefresh(tokens.refresh_token)),
        await redeem(app, late.login, late.code),
      ])
        assert.ok(status === 400 || status === 401, String(status));
    });

  test('keeps no session that an authority opened, by an external id or a certificate, or for which a signer was the second factor', async () => {
    await using app = await open();
    const claiming = await aCa(app, { externalIdClaim: COMMON_NAME });
    const plain = await aCa(app);
    const signer = await certificateSigner(app, { useExternalId: true });
    const policy = await app.create(
      '/auth-policies',
      policyBody('two', { secondary: { requireTotp: false, requireExtJwtSigner: signer.id } }),
    );
    const ann = await app.user({ externalId: 'ann@example.org' });
    const device = await aForeignCertificate(app, plain);
    const bob = await app.user({ externalId: 'bob@example.org', authPolicyId: policy });
    const sessionOf = async (own: Parameters<typeof certificateLogin>[1]) => (await certificateLogin(app, own)).body.data.token as string;
    const sessions = [await sessionOf(await claiming.issue('ann@example.org')), await sessionOf(device)];
    const login = await begin(app);
    const withToken = { headers: bearer(await signer.token({ sub: 'bob@example.org' })) };
    assert.equal((await byPassword(app, login, bob.username, undefined, withToken)).status, 302);
    const tokens = tokensIn(await redeem(app, login, await codeOf(app, login)));
    for (const as of sessions) assert.equal(await isValid(app, as), true);
    assert.equal(await isAccepted(app, tokens), true);
    for (const id of [ann.id, device.identityId, bob.id]) await app.controller.api.identities.patch({ id, body: { isAdmin: true } });
    for (const as of sessions) assert.equal(await isValid(app, as), false);
    assert.equal(await isAccepted(app, tokens), false);
    assert.notEqual((await refresh(app, tokens.refresh_token)).status, 200);
  });

  test('keeps no outstanding enrollment, of which a delegate may have seen the token', async () => {
    await using app = await open();
    const as = await (await app.user({ permissions: ['enrollment'] })).login();
    const id = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    const body = {
      identityId: id,
      method: 'updb',
      username: 'ann@example.org',
      expiresAt: new Date(app.clock.now() + 3_600_000).toISOString(),
    };
    const { data } = (await app.request('POST', '/enrollments', { as, body })).body;
    const { token } = (await app.request('GET', `/enrollments/${data.id}`, { as })).body.data;
    await app.controller.api.identities.patch({ id, body: { permissions: ['service.read'] } });
    const enrolled = await app.request('POST', `/edge/client/v1/enroll?method=updb&token=${token}`, {
      as: null,
      body: { token, username: 'ann@example.org', password: 'Passw0rd!Passw0rd!' },
    });
    assert.equal(enrolled.body.error?.code, 'INVALID_ENROLLMENT_TOKEN', enrolled.text);
    assert.equal(await app.count('authenticator'), 2, 'those of the administrator and of the delegate');
  });

  test('keeps sessions and tokens of its password, and of the certificates of the network; what loses or keeps rights keeps all', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    const ann = await app.user({ externalId: 'ann@example.org' });
    const [session, tokens] = [await ann.login(), await tokensOf(app, ann.username)];
    const patch = (body: object) => app.controller.api.identities.patch({ id: ann.id, body });
    await patch({ isAdmin: true });
    assert.deepEqual([await isValid(app, session), await isAccepted(app, tokens)], [true, true]);
    const again: string = (await loginByToken(app, await signer.token({ sub: 'ann@example.org' }))).body.data.token;
    for (const body of [{ permissions: ['service'] }, { isAdmin: false }, { permissions: ['service.read'] }, { tags: { a: true } }]) {
      await patch(body);
      assert.deepEqual([await isValid(app, session), await isValid(app, again)], [true, true], JSON.stringify(body));
    }
    await patch({ permissions: ['service'] });
    assert.deepEqual([await isValid(app, session), await isValid(app, again)], [true, false], 'it had a part of that alone');
  });
});
