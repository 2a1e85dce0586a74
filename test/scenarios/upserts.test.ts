import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, invalidField, previewing } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { committedUnseen } from '../support/interleaving.ts';
import { newStorage } from '../support/stores.ts';

const E = '/edge/management/extensions/v1';
const person = (name: string, more: object = {}) => ({ name, type: 'User', isAdmin: false, ...more });

onEveryStore('upserts and edits of role attributes', (open, store) => {
  test('an upsert creates an entity, then changes the fields that it gives, and writes nothing if it is as it should be', async () => {
    await using app = await open();
    const { identities } = app.controller.api;
    const upsert = async (body: object) => {
      const trail: string[] = [];
      let result = { id: '', isNew: false, isChanged: false };
      trail.push(...(await app.trail(async () => (result = await identities.upsert({ body: body as never })))));
      return { ...result, trail };
    };
    const created = await upsert(person('ann', { roleAttributes: ['b', 'a'], tags: { team: 'x' } }));
    assert.deepEqual([created.isNew, created.isChanged, created.trail], [true, true, ['create identity']]);
    const same = await upsert(person('ann', { roleAttributes: ['a', 'b'] }));
    assert.deepEqual([same.id, same.isNew, same.isChanged, same.trail], [created.id, false, false, []]);
    const changed = await upsert({ name: 'ann', roleAttributes: ['c'] });
    assert.deepEqual([changed.id, changed.isNew, changed.isChanged, changed.trail], [created.id, false, true, ['update identity']]);
    const ann = await identities.get({ id: created.id });
    assert.deepEqual([ann.roleAttributes, ann.tags], [['c'], { team: 'x' }]);
  });

  test('an upsert with a wrong value is refused like a patch, whether the entity exists or not, and changes nothing', async () => {
    await using app = await open();
    await app.create('/services', { name: 'mail', encryptionRequired: true });
    const trail = await app.trail(async () => {
      for (const name of ['mail', 'new'])
        for (const [field, value] of [
          ['maxIdleTimeMillis', 'soon'],
          ['roleAttributes', 7],
        ] as const) {
          const body = { name, encryptionRequired: true, [field]: value };
          const { status, text } = await app.request('PUT', `${E}/services`, { body });
          assert.equal(status, 400, text);
          assert.match(text, new RegExp(field), name);
        }
    });
    assert.deepEqual(trail, []);
  });

  test('it finds an identity by its external id, too, also to rename it', async () => {
    await using app = await open();
    const { identities } = app.controller.api;
    const { id } = await identities.upsert({ by: 'externalId', body: person('ann', { externalId: 'hr-7' }) });
    const renamed = await identities.upsert({ by: 'externalId', body: person('ann smith', { externalId: 'hr-7' }) });
    assert.deepEqual([renamed.id, renamed.isNew], [id, false]);
    assert.equal((await identities.get({ id })).name, 'ann smith');
    await assert.rejects(identities.upsert({ by: 'externalId', body: person('bob') }), /externalId must be given/);
    const other = await app.request('PUT', `${E}/services?by=externalId`, { body: { name: 'x', encryptionRequired: true } });
    assert.equal(other.status, 400);
  });

  test('its rights are those to create and to change, and what the caller may not see stays hidden', async () => {
    await using app = await open();
    await app.create('/identities', person('secret', { roleAttributes: ['others'] }));
    const mine = await app.create('/identities', person('mine', { roleAttributes: ['team'] }));
    const helper = await app.user({ scopedPermissions: { identity: { roleAttributes: ['team'] } } });
    const as = await helper.login();
    const upsert = (body: object) => app.request('PUT', `${E}/identities`, { as, body });
    const own = await upsert({ name: 'mine', tags: { a: 'b' } });
    assert.deepEqual([own.status, own.body.data?.id], [200, mine], own.text);
    const hidden = await upsert(person('secret', { roleAttributes: ['team'] }));
    const byCreate = await app.request('POST', '/identities', { as, body: person('secret', { roleAttributes: ['team'] }) });
    assert.deepEqual([hidden.status, hidden.body.error.cause], [byCreate.status, byCreate.body.error.cause]);
    const nobody = await app.user();
    const refused = await app.request('PUT', `${E}/identities`, { as: await nobody.login(), body: person('x') });
    assert.equal(refused.status, 401);
  });

  test('the hook of the host runs once for what an upsert carries out, also if it refuses that', async () => {
    const hooked: string[] = [];
    await using app = await open({
      hooks: {
        before: (operation, input, _call) => {
          const { body } = input as { readonly body?: { readonly name?: string } };
          hooked.push(`${operation} ${Object.keys(body ?? {}).join()}`);
          if (operation === 'services.create' && body?.name === 'bad') throw invalidField('name', 'must be good', 'bad');
        },
      },
    });
    const { services } = app.controller.api;
    const upsert = async (body: { readonly name: string; readonly roleAttributes?: string[] }) => {
      hooked.length = 0;
      const upserted = services.upsert({ body: { encryptionRequired: true, ...body } });
      await (body.name === 'bad' ? assert.rejects(upserted, { code: 'COULD_NOT_VALIDATE' }) : upserted);
      return hooked.filter((each) => !each.startsWith('services.upsert'));
    };
    assert.deepEqual(await upsert({ name: 's' }), ['services.create name,encryptionRequired']);
    assert.deepEqual(await upsert({ name: 's', roleAttributes: ['a'] }), ['services.patch roleAttributes']);
    assert.deepEqual(await upsert({ name: 's' }), ['services.patch ']);
    assert.deepEqual(await upsert({ name: 'bad' }), ['services.create name,encryptionRequired']);
  });

  test('many upserts of one name at once make one entity', async () => {
    await using app = await open();
    const { services } = app.controller.api;
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        services.upsert({ body: { name: 'wiki', encryptionRequired: true, tags: { [`t${i}`]: true } } }),
      ),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.equal(all.filter(({ isNew }) => isNew).length, 1);
  });

  test('an upsert that does not see yet what another caller creates at the same moment changes that', async () => {
    const { storage, hide } = committedUnseen(newStorage(store));
    await using app = await open({ storage });
    const { services } = app.controller.api;
    const { id } = await services.create({ body: { name: 'wiki', encryptionRequired: true } });
    hide('service');
    const body = { name: 'wiki', encryptionRequired: true, tags: { a: '1' } };
    const { _links, ...upserted } = await services.upsert({ body });
    assert.deepEqual(upserted, { id, isNew: false, isChanged: true });
    hide('service');
    await assert.rejects(services.create({ body }), { code: 'COULD_NOT_VALIDATE' });
  });

  test('it works for other kinds, in batches and as a preview', async () => {
    await using app = await open();
    const { api } = app.controller;
    const check = { name: 'domain', typeId: 'DOMAIN', domains: ['a.example'] };
    const first = await api.postureChecks.upsert({ body: check });
    assert.equal((await api.postureChecks.upsert({ body: check })).isChanged, false);
    assert.equal((await api.postureChecks.upsert({ body: { ...check, domains: ['b.example'] } })).id, first.id);
    const operations = ['wiki', 'wiki'].map((name) => ({
      operation: 'services.upsert',
      input: { body: { name, encryptionRequired: true } },
    }));
    const { results } = await api.batch.run({ body: { operations } });
    assert.equal(results[0]?.id, results[1]?.id);
    const preview = await previewing(api).services.upsert({ body: { name: 'wiki', terminatorStrategy: 'random' } });
    assert.deepEqual(
      preview.changes.map(({ action, entityId }) => [action, entityId]),
      [['update', results[0]?.id]],
    );
    await assert.rejects(
      api.services.upsert({ body: { name: 'wiki', encryptionRequired: false } }),
      /encryptionRequired of this service cannot be changed/,
    );
    const { id: typeId } = await api.configTypes.upsert({ body: { name: 'a type', schema: {} } });
    const config = { name: 'a config', configTypeId: typeId, data: { a: 1 } };
    await api.configs.upsert({ body: config });
    const { id: otherType } = await api.configTypes.upsert({ body: { name: 'another type', schema: {} } });
    await assert.rejects(
      api.configs.upsert({ body: { ...config, configTypeId: otherType } }),
      /configTypeId of this config cannot be changed/,
    );
  });

  test('role attributes are added and removed without a read, and a hundred edits at once lose none', async () => {
    await using app = await open();
    const { identities } = app.controller.api;
    const { id } = await identities.create({ body: { ...person('ann'), roleAttributes: ['a'] } as never });
    const add = (...roleAttributes: string[]) => identities.addRoleAttributes({ id, body: { roleAttributes } });
    const remove = (...roleAttributes: string[]) => identities.removeRoleAttributes({ id, body: { roleAttributes } });
    const attributes = async () => (await identities.get({ id })).roleAttributes;
    await add('b', 'c');
    await remove('a', 'none');
    assert.deepEqual(await attributes(), ['b', 'c']);
    assert.deepEqual(await app.trail(() => add('b')), []);
    assert.deepEqual(await app.trail(() => remove('x')), []);
    await assert.rejects(add('#x'), (error: ApiError) => error.code === 'COULD_NOT_VALIDATE');
    await assert.rejects(
      identities.addRoleAttributes({ id: 'none', body: { roleAttributes: ['x'] } }),
      (error: ApiError) => error.code === 'NOT_FOUND',
    );
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(`n${i}`)));
    assert.equal((await attributes())?.length, 102);
    const answer = await app.request('DELETE', `${E}/identities/${id}/role-attributes`, { body: { roleAttributes: ['b'] } });
    assert.equal(answer.status, 200, answer.text);
    const preview = await previewing(app.controller.api).identities.addRoleAttributes({ id, body: { roleAttributes: ['z'] } });
    assert.equal(preview.changes.length, 1);
  });

  test('a caller whose right is limited to some attributes cannot add others', async () => {
    await using app = await open();
    const id = await app.create('/identities', person('mine', { roleAttributes: ['team'] }));
    const hidden = await app.create('/identities', person('theirs', { roleAttributes: ['others'] }));
    const helper = await app.user({ scopedPermissions: { identity: { roleAttributes: ['team'] } } });
    const as = await helper.login();
    const edit = (method: string, of: string, ...roleAttributes: string[]) =>
      app.request(method, `${E}/identities/${of}/role-attributes`, { as, body: { roleAttributes } });
    assert.equal((await edit('POST', id, 'others')).status, 401);
    assert.equal((await edit('POST', hidden, 'team')).status, 404);
    assert.equal((await edit('DELETE', hidden, 'others')).status, 404);
    assert.notEqual((await edit('DELETE', id, 'team')).status, 200);
  });
});
