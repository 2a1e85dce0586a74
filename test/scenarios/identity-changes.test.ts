import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
const full = {
  ...ann,
  isAdmin: true,
  roleAttributes: ['a'],
  tags: { k: 'v' },
  appData: { k: 'v' },
  externalId: 'ext-1',
  defaultHostingCost: 5,
  defaultHostingPrecedence: 'failed',
} as const;

onEveryStore('changing identities', (open) => {
  test('replace leaves alone what is read only: authenticators, what the client told, being disabled', async () => {
    await using app = await open();
    const { id, username, authenticatorId } = await app.user();
    await app.request('POST', '/authenticate?method=password', {
      as: null,
      body: { username, password: 'Passw0rd!Passw0rd!', envInfo: { os: 'linux' }, sdkInfo: { version: '1' } },
    });
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 30 } });
    await app.request('PUT', `/identities/${id}`, { body: { ...ann, disabled: false, disabledAt: null, disabledUntil: null } });
    const { data } = (await app.request('GET', `/identities/${id}`)).body;
    assert.deepEqual([data.disabled, data.disabledUntil], [true, '2026-11-21T10:30:00.000Z']);
    assert.deepEqual([data.envInfo, data.sdkInfo], [{ os: 'linux' }, { version: '1' }]);
    assert.deepEqual(data.authenticators, { updb: { id: authenticatorId, username } });
  });

  test('an identity does not become a router, and a patch of the type has no effect', async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    assertInvalid(await app.request('PUT', `/identities/${id}`, { body: { ...ann, type: 'Router' } }), 'typeId');
    for (const type of ['Router', 'Device'])
      assert.equal((await app.request('PATCH', `/identities/${id}`, { body: { type } })).status, 200);
    assert.equal((await app.request('GET', `/identities/${id}`)).body.data.typeId, 'Default');
    assertInvalid(await app.request('PATCH', `/identities/${id}`, { body: { type: 'x' } }), 'type');
  });

  test('maps are replaced as a whole by a patch, and emptied by an empty map', proves(105, 133), async () => {
    await using app = await open();
    const id = await app.create('/identities', { ...full, tags: { k: 'v', l: 'w' } });
    const patch = async (body: object) => {
      assert.equal((await app.request('PATCH', `/identities/${id}`, { body })).status, 200);
      const { tags, appData } = (await app.request('GET', `/identities/${id}`)).body.data;
      return { tags, appData };
    };
    assert.deepEqual(await patch({ tags: { m: true, n: null } }), { tags: { m: true, n: null }, appData: { k: 'v' } });
    assert.deepEqual(await patch({ tags: { n: null } }), { tags: { n: null }, appData: { k: 'v' } });
    assert.deepEqual(await patch({ tags: {}, appData: { z: { deep: [1] } } }), { tags: {}, appData: { z: { deep: [1] } } });
    assert.deepEqual(await patch({ tags: null, appData: {} }), { tags: {}, appData: {} });
  });

  test('role attributes are a set that a patch replaces and an empty list clears', proves(29, 128), async () => {
    await using app = await open();
    const id = await app.create('/identities', { ...ann, roleAttributes: ['b', 'a'] });
    const patch = async (roleAttributes: readonly string[] | null) => {
      await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes } });
      return (await app.request('GET', `/identities/${id}`)).body.data.roleAttributes;
    };
    assert.deepEqual(await patch(null), ['a', 'b']);
    assert.deepEqual(await patch(['é', 'z', '😀', '_', '\ufb01', 'Z', 'z']), ['Z', '_', 'z', 'é', '\ufb01', '😀']);
    assert.equal(await patch([]), null);
  });

  test('an empty patch, or one of only nulls or unknown fields, changes nothing and leaves no trace', proves(134, 310), async () => {
    await using app = await open();
    const id = await app.create('/identities', full);
    const before = (await app.request('GET', `/identities/${id}`)).text;
    app.clock.advance('1m');
    const left = await app.trail(async () => {
      for (const body of [
        {},
        { name: null, tags: null, isAdmin: null, externalId: null },
        { colour: 'red', id: 'x', createdAt: '2000-01-01T00:00:00.000Z', isMfaEnabled: true },
      ]) {
        assert.equal((await app.request('PATCH', `/identities/${id}`, { body })).status, 200);
      }
    });
    assert.deepEqual(left, []);
    assert.equal((await app.request('GET', `/identities/${id}`)).text, before);
    assertRefused(await app.request('PATCH', '/identities/no-such-id', { body: {} }), 404, 'NOT_FOUND');
  });

  test('an externalId is unique, and blank text or a patch with an empty text clears it', proves(121), async () => {
    await using app = await open();
    const externalIdOf = async (id: string) => (await app.request('GET', `/identities/${id}`)).body.data.externalId;
    const one = await app.create('/identities', { ...ann, externalId: 'ext-1' });
    const two = await app.create('/identities', { ...ann, name: 'bob', externalId: '  ' });
    await app.create('/identities', { ...ann, name: 'cat', externalId: '' });
    assert.equal(await externalIdOf(two), null);
    assertInvalid(await app.request('POST', '/identities', { body: { ...ann, name: 'dan', externalId: 'ext-1' } }), 'externalId');
    assertInvalid(await app.request('PATCH', `/identities/${two}`, { body: { externalId: 'ext-1' } }), 'externalId');
    await app.request('PATCH', `/identities/${one}`, { body: { externalId: null } });
    assert.equal(await externalIdOf(one), 'ext-1');
    await app.request('PATCH', `/identities/${one}`, { body: { externalId: '' } });
    assert.equal((await app.request('PATCH', `/identities/${two}`, { body: { externalId: 'ext-1' } })).status, 200);
    assert.deepEqual([await externalIdOf(one), await externalIdOf(two)], [null, 'ext-1']);
  });

  test('a patch of the policy is checked, and blank text goes back to the default', proves(106), async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('strict'));
    const id = await app.create('/identities', { ...ann, authPolicyId });
    assertRefused(await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId: 'no-such-policy' } }), 404, 'NOT_FOUND');
    assert.equal((await app.request('GET', `/identities/${id}`)).body.data.authPolicyId, authPolicyId);
    await app.request('PATCH', `/identities/${id}`, { body: { authPolicyId: '' } });
    assert.equal((await app.request('GET', `/identities/${id}`)).body.data.authPolicyId, 'default');
  });
});
