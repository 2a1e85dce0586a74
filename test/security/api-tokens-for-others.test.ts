/** Nobody may get a token of an identity that is out of reach: by naming it, by a permission, or by a rule of the host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askForToken, EXTENSIONS, giveToken, inDays, statusAs, tokenPath } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';

const OWN = `${EXTENSIONS}/current-identity/api-tokens`;

onEveryStore('an API token of another identity', (open) => {
  test('is not made by a body that names that identity', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const admin = await app.user({ isAdmin: true });
    const mallory = await app.user({ permissions: ['identity', 'enrollment', 'admin_readonly'] });
    const as = await mallory.login();
    for (const caller of [null, as]) assert.equal((await askForToken(app, admin.id, {}, { as: caller })).status, 401);
    assert.equal((await askForToken(app, mallory.id, {}, { as })).status, 401);
    const body = { name: 'mine', expiresAt: inDays(app, 1), identityId: admin.id, userId: admin.id };
    assert.equal((await app.request('POST', OWN, { as: null, body })).status, 401);
    assert.equal((await app.request('POST', OWN, { as, body })).status, 201);
    assert.deepEqual(
      (await app.rows('apiToken')).map((row) => row.identityId),
      [mallory.id],
    );
  });

  test('has no more rights than its creator, and none that its identity lacks', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const scoped = { 'identity.update': { roleAttributes: ['team-a'], assignableRoleAttributes: ['phones'] } };
    const mallory = await app.user({ permissions: ['service.read'], scopedPermissions: scoped });
    const as = await mallory.login();
    const body = { name: 'mine', expiresAt: inDays(app, 1) };
    const create = async (fields: object) => app.request('POST', OWN, { as, body: { ...body, ...fields } });
    const beyond = [
      { isAdmin: true },
      { permissions: ['service'] },
      { permissions: ['service.read', 'service.update'] },
      { permissions: ['admin_readonly'] },
      { permissions: ['identity.update'] },
      { scopedPermissions: { identity: { roleAttributes: ['team-a'] } } },
      { scopedPermissions: { 'identity.update': { roleAttributes: ['team-a', 'team-b'] } } },
      { scopedPermissions: { 'identity.update': { roleAttributes: ['team-a'], assignableRoleAttributes: ['laptops'] } } },
    ];
    for (const fields of beyond) {
      const { status, body: answer } = await create(fields);
      assert.deepEqual([status, answer.error.cause.code], [401, 'UNHANDLED'], JSON.stringify(fields));
      assert.equal((await askForToken(app, mallory.id, fields)).status, 400, 'even an administrator: it would never count');
    }
    for (const fields of [{ permissions: ['service.read'] }, { scopedPermissions: scoped }, {}])
      assert.equal((await create(fields)).status, 201);
  });

  test('with more rights is neither listed nor shown to auditors, nor changed by whom the host lets manage tokens', async () => {
    await using app = await open({
      authorize: ({ actor, right }) => (actor.name === 'sso:desk' && right?.startsWith('api-token.') ? true : undefined),
    });
    const admin = await app.user({ isAdmin: true });
    const person = await app.user();
    const ofAdmin = await giveToken(app, admin.id, { isAdmin: true });
    const ofPerson = await giveToken(app, person.id);
    const auditor = await (await app.user({ permissions: ['admin_readonly'] })).login();
    const listed = (await app.request('GET', `${EXTENSIONS}/api-tokens`, { as: auditor })).body;
    assert.deepEqual([listed.data.map((row: { id: string }) => row.id), listed.meta.pagination.totalCount], [[ofPerson.id], 1]);
    assert.deepEqual(
      [await statusAs(app, auditor, tokenPath(ofAdmin.id)), await statusAs(app, auditor, tokenPath(ofPerson.id))],
      [401, 200],
    );

    const { apiTokens } = app.controller.api;
    const desk = { actor: 'sso:desk' };
    const body = { name: 'x', expiresAt: inDays(app, 1) };
    const refused = { code: 'UNAUTHORIZED' };
    await assert.rejects(apiTokens.create({ body: { ...body, identityId: admin.id } }, desk), refused);
    await assert.rejects(apiTokens.create({ body: { ...body, identityId: admin.id, isAdmin: true } }, desk), refused);
    await assert.rejects(apiTokens.rotate({ id: ofAdmin.id }, desk), refused);
    await assert.rejects(apiTokens.patch({ id: ofAdmin.id, body: { name: 'x' } }, desk), refused);
    await assert.rejects(apiTokens.delete({ id: ofAdmin.id }, desk), refused);
    await assert.rejects(apiTokens.create({ body: { ...body, identityId: person.id, permissions: ['service.read'] } }, desk), refused);
    await apiTokens.create({ body: { ...body, identityId: person.id } }, desk);
    await apiTokens.rotate({ id: ofPerson.id }, desk);
  });

  test('is not rotated by whom the host lets manage tokens, or by its identity, while it has more rights than they', async () => {
    await using app = await open({
      settings: { ownApiTokens: true },
      authorize: ({ actor, right }) => (actor.name === 'sso:desk' && right?.startsWith('api-token.') ? true : undefined),
    });
    const ann = await app.user({ isAdmin: true });
    const tokens = [
      await giveToken(app, ann.id, { isAdmin: true }),
      await giveToken(app, ann.id, { permissions: ['ca'] }),
      await giveToken(app, ann.id, { scopedPermissions: { 'service.read': { roleAttributes: ['team-a'] } } }),
    ];
    await app.request('PATCH', `/identities/${ann.id}`, { body: { isAdmin: false } });
    const as = await ann.login();
    for (const { id } of tokens) {
      await assert.rejects(app.controller.api.apiTokens.rotate({ id }, { actor: 'sso:desk' }), { code: 'UNAUTHORIZED' });
      assert.equal(await statusAs(app, as, `${OWN}/${id}/rotate`, 'POST', {}), 401);
      assert.equal((await app.request('POST', `${tokenPath(id)}/rotate`, { body: {} })).status, 200, 'an administrator may');
    }
  });

  test('is not rotated or revoked by its id', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const [ann, mallory] = [await app.user(), await app.user()];
    const { id, secret } = await giveToken(app, ann.id);
    const as = await mallory.login();
    assert.equal(await statusAs(app, as, `${OWN}/${id}/rotate`, 'POST', {}), 404);
    assert.equal(await statusAs(app, as, `${OWN}/${id}`, 'DELETE'), 404);
    assert.deepEqual((await app.request('GET', `${OWN}?filter=true`, { as })).body.data, []);
    assert.equal(await statusAs(app, secret), 200);
  });

  test('is bound by its permissions where a rule of the host allows everything, and the rule sees it', async () => {
    const seen: unknown[] = [];
    await using app = await open({
      authorize: ({ actor }) => {
        if (actor.apiToken)
          seen.push([actor.apiToken.name, actor.identity?.isAdmin, Object.keys(actor.apiToken).some((key) => /hash/i.test(key))]);
        return actor.apiToken ? true : undefined;
      },
    });
    const admin = await app.user({ isAdmin: true });
    const { secret } = await giveToken(app, admin.id, { permissions: ['service.read'] });
    for (const [path, status] of [
      ['/services', 200],
      ['/identities', 401],
      ['/sessions', 401],
      ['/current-identity', 200],
      ['/current-identity/authenticators', 401],
    ] as const)
      assert.equal(await statusAs(app, secret, path), status, path);
    assert.deepEqual(seen[0], ['for CI', false, false]);
  });

  test('is bound by its scope where a rule of the host allows one entity or another', async () => {
    await using app = await open({
      authorize: ({ about, actor }) => (about === 'call' && actor.apiToken ? { where: 'name = "one" or name = "two"' } : undefined),
    });
    const admin = await app.user({ isAdmin: true });
    for (const name of ['one', 'two', 'three'])
      await app.create('/services', { name, encryptionRequired: true, roleAttributes: name === 'one' ? [] : ['web'] });
    const scopedPermissions = { service: { roleAttributes: ['web'] } };
    const { secret } = await giveToken(app, admin.id, { scopedPermissions });
    const { body } = await app.request('GET', '/services', { as: secret });
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['two'],
    );
  });

  test('of an identity that needs a code is not made before the code is given', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const policies = (await app.request('GET', '/auth-policies/default')).body.data;
    const strict = { ...policies, name: 'strict', secondary: { requireTotp: true, requireExtJwtSigner: null } };
    const authPolicyId = await app.create('/auth-policies', strict);
    const user = await app.user({ authPolicyId });
    const as = await user.login();
    assert.equal((await app.request('POST', OWN, { as, body: { name: 'mine', expiresAt: inDays(app, 1) } })).status, 401);
    const { secret } = await giveToken(app, user.id);
    assert.equal(await statusAs(app, secret), 200, 'one that an administrator made needs no code');
  });
});
