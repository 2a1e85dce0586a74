/** The history of one entity, and going back in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiError } from '../../src/index.ts';
import { type App, onEveryStore } from '../support/app.ts';

const revisionOf = (app: App) => app.inStore('read', (entities) => entities.revision());

onEveryStore('history', (open) => {
  test('lists the changes of an entity, newest first, with the fields that each changed', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.services.create({ body: { name: 'mail', encryptionRequired: true } });
    await api.services.create({ body: { name: 'another', encryptionRequired: true } });
    await api.services.patch({ id, body: { name: 'post', roleAttributes: ['a'] } }, { reason: 'ticket 7' });
    await api.services.delete({ id });
    const { data, pagination } = await api.history.list({ kind: 'service', id });
    assert.deepEqual(
      data.map(({ action, changed, reason, after }) => [
        action,
        action === 'create' ? [] : changed.toSorted().slice(0, 2),
        reason,
        after?.name,
      ]),
      [
        ['delete', data[0]?.changed.toSorted().slice(0, 2), null, undefined],
        ['update', ['name', 'roleAttributes'], 'ticket 7', 'post'],
        ['create', [], null, 'mail'],
      ],
    );
    assert.equal(pagination.totalCount, 3);
    assert.equal((await api.history.list({ kind: 'service', id, limit: 1000 })).pagination.limit, 500, 'what a page holds at most');
    const older = await api.history.list({ kind: 'service', id, before: data[1]?.revision, limit: 1 });
    assert.deepEqual(
      older.data.map(({ action }) => action),
      ['create'],
    );
  });

  test('is of one kind, where an identity has the id of its router', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.edgeRouters.create({ body: { name: 'fra1', isTunnelerEnabled: true } });
    await api.edgeRouters.patch({ id, body: { cost: 7 } });
    const actionsOf = async (kind: string) => (await api.history.list({ kind, id })).data.map(({ action }) => action);
    assert.deepEqual(await actionsOf('identity'), ['create']);
    assert.deepEqual((await actionsOf('edgeRouter')).at(0), 'update');
    assert.equal((await api.history.list({ kind: 'identity', id, limit: 1000 })).pagination.limit, 500);
    assert.equal((await api.audit.list({ limit: 1000 })).pagination.limit, 500);
  });

  test('shows an entity as it was at a revision', async () => {
    await using app = await open();
    const { api } = app.controller;
    const before = await revisionOf(app);
    const { id } = await api.services.create({ body: { name: 'mail', encryptionRequired: true } });
    const first = await revisionOf(app);
    await api.services.patch({ id, body: { name: 'post' } });
    assert.equal((await api.history.get({ kind: 'service', id, revision: first })).state.name, 'mail');
    assert.equal((await api.history.get({ kind: 'service', id, revision: first + 1 })).state.name, 'post');
    await assert.rejects(api.history.get({ kind: 'service', id, revision: before }), { code: 'NOT_FOUND' });
    await assert.rejects(api.history.get({ kind: 'service', id, revision: first + 5 }), { code: 'COULD_NOT_VALIDATE' });
    await assert.rejects(api.history.get({ kind: 'lease', id, revision: first }), { code: 'NOT_FOUND' });
  });

  test('reverts an entity by an ordinary change, which leaves everything else alone, and which can be previewed', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.servicePolicies.create({
      body: { name: 'all', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#apps'], tags: { a: 'b' } },
    });
    const good = await revisionOf(app);
    await api.servicePolicies.patch({ id, body: { name: 'none', identityRoles: [], tags: {} } });
    const bad = await revisionOf(app);
    await api.history.revert({ kind: 'servicePolicy', id, body: { revision: good } }, { preview: true });
    assert.equal(await revisionOf(app), bad);
    const { changed } = await api.history.revert({ kind: 'servicePolicy', id, body: { revision: good } }, { reason: 'a mistake' });
    assert.deepEqual(changed.toSorted(), ['identityRoles', 'name', 'tags']);
    const { name, identityRoles, serviceRoles, tags } = await api.servicePolicies.get({ id });
    assert.deepEqual([name, identityRoles, serviceRoles, tags], ['all', ['#sales'], ['#apps'], { a: 'b' }]);
    const [last] = (await api.history.list({ kind: 'servicePolicy', id })).data;
    assert.deepEqual([last?.action, last?.reason], ['update', 'a mistake']);
    const again = await api.history.revert({ kind: 'servicePolicy', id, body: { revision: good } });
    assert.deepEqual(again, { id, changed: [], revision: last?.revision });
  });

  test('makes a deleted entity again, without the credentials that it had', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id, username } = await app.user({ name: 'ann', roleAttributes: ['sales'] });
    const there = await revisionOf(app);
    await api.identities.delete({ id });
    const made = await api.history.revert({ kind: 'identity', id, body: { revision: there } });
    assert.notEqual(made.id, id);
    assert.ok(['name', 'roleAttributes'].every((field) => made.changed.includes(field)));
    const ann = await api.identities.get({ id: made.id });
    assert.deepEqual([ann.name, ann.roleAttributes, ann.authenticators], ['ann', ['sales'], {}]);
    assert.equal((await app.login(username, 'anything')).status, 401);
    await assert.rejects(api.history.revert({ kind: 'authenticator', id: 'none', body: { revision: there } }), { code: 'NOT_FOUND' });
  });

  test('the rules of the kind hold for a revert, too', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.services.create({ body: { name: 'mail', encryptionRequired: true } });
    const first = await revisionOf(app);
    await api.services.patch({ id, body: { name: 'post' } });
    await api.services.create({ body: { name: 'mail', encryptionRequired: true } });
    const last = await revisionOf(app);
    await assert.rejects(api.history.revert({ kind: 'service', id, body: { revision: first } }), { code: 'COULD_NOT_VALIDATE' });
    assert.equal(await revisionOf(app), last);
  });

  test('a field that was not set is unset again, unless its end cannot be removed', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = await api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
    const good = await revisionOf(app);
    const validUntil = new Date(app.clock.now() + 1e9).toISOString();
    await api.identities.patch({
      id,
      body: { externalId: 'ann@example.com', appData: { a: 1 }, roleAttributeGrants: { a: { validUntil } } },
    });
    await api.history.revert({ kind: 'identity', id, body: { revision: good } });
    const ann = await api.identities.get({ id });
    assert.deepEqual(
      [ann.externalId ?? null, ann.appData, ann.roleAttributes ?? [], ann.roleAttributeGrants ?? null],
      [null, {}, [], null],
    );

    const body = { name: 'all', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#a'], serviceRoles: ['#a'] } as const;
    const policy = await api.servicePolicies.create({ body });
    const unlimited = await revisionOf(app);
    await api.servicePolicies.patch({ id: policy.id, body: { validUntil } });
    const revert = api.history.revert({ kind: 'servicePolicy', id: policy.id, body: { revision: unlimited } });
    await assert.rejects(revert, (error: ApiError<'COULD_NOT_VALIDATE'>) => 'field' in error.cause && error.cause.field === 'validUntil');
  });
});
