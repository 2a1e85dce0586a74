/** Every kind that clients patch is reverted to what it was, by the rules of the kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../src/controller/entries.ts';
import { ApiError } from '../../src/index.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

/** The operations that patch an entity of a kind, but for authenticators: they may hash a password, for which no transaction waits. */
const patches = entries.filter(
  ({ group, operation: { method, path, entity, permission } }) =>
    method === 'PATCH' && /^\/[\w-]+\/\{id\}$/.test(path) && entity && permission.includes('.') && group !== 'authenticators',
);

const stateOf = async ({ controller: { api } }: App, kind: string, id: string) => (await api.history.get({ kind, id })).state;

/** What a revert brings back: all but what each write changes. */
const lasting = ({ version: _, updatedAt: __, createdAt: ___, id: ____, ...state }: Readonly<Record<string, unknown>>) => state;

onEveryStore('a revert', (open) => {
  for (const entry of patches)
    test(`undoes ${nameOf(entry)}, and changes nothing if it is repeated`, async () => {
      await using app = await open();
      const { api } = app.controller;
      const sample = await sampleOf(app, entry);
      const [kind, id] = [entry.operation.entity?.kind ?? '', String(sample.id)];
      const before = await stateOf(app, kind, id);
      const { revision } = await api.audit.head();
      const { status, body } = await callSample(app, entry.operation, sample);
      assert.equal(status, 200, JSON.stringify(body));
      const after = await stateOf(app, kind, id);
      const { changed } = await api.history.revert({ kind, id, body: { revision } });
      assert.deepEqual(lasting(await stateOf(app, kind, id)), lasting(before));
      assert.equal(changed.length > 0, JSON.stringify(lasting(after)) !== JSON.stringify(lasting(before)));
      const { revision: reverted } = await api.audit.head();
      assert.deepEqual((await api.history.revert({ kind, id, body: { revision } })).changed, []);
      assert.equal((await api.audit.head()).revision, reverted);
    });

  for (const entry of patches)
    test(`makes again what was deleted, with all that clients set: ${entry.group}`, async () => {
      await using app = await open();
      const { api } = app.controller;
      const sample = await sampleOf(app, entry);
      const [kind, id] = [entry.operation.entity?.kind ?? '', String(sample.id)];
      const { status, text } = await callSample(app, entry.operation, {
        ...sample,
        body: { ...Object(sample.body), tags: { floor: '7' } },
      });
      assert.equal(status, 200, text);
      const before = await stateOf(app, kind, id);
      const { revision } = await api.audit.head();
      const deleted = await callSample(app, { ...entry.operation, method: 'DELETE' }, { id });
      assert.equal(deleted.status, 200, deleted.text);
      const made = await api.history.revert({ kind, id, body: { revision } });
      // Its owner has to prove again that it has the key of an authority.
      const expected = { ...before, ...(kind === 'ca' ? { isVerified: false } : {}) };
      assert.deepEqual(lasting(await stateOf(app, kind, made.id)), lasting(expected));
    });

  test('brings a terminator back to the router that it was at, with its instance, while there is that router', async () => {
    await using app = await open();
    const { api } = app.controller;
    const [service, router, other] = [
      await app.create('/services', { name: 'mail', encryptionRequired: true }),
      await app.create('/edge-routers', { name: 'fra1' }),
      await app.create('/edge-routers', { name: 'ams1' }),
    ];
    const { id } = await api.terminators.create({ body: { service, router, binding: 'transport', address: 'tcp:a:1', identity: 'first' } });
    const { revision } = await api.audit.head();
    await api.terminators.patch({ id, body: { router: other, address: 'tcp:b:1' } });
    const { changed } = await api.history.revert({ kind: 'terminator', id, body: { revision } });
    assert.deepEqual(changed.toSorted(), ['address', 'routerId']);
    const { routerId, address } = await api.terminators.get({ id });
    assert.deepEqual([routerId, address], [router, 'tcp:a:1']);
    await api.terminators.delete({ id });
    const made = await api.history.revert({ kind: 'terminator', id, body: { revision } });
    assert.equal((await api.terminators.get({ id: made.id })).identity, 'first');
    await api.edgeRouters.delete({ id: router });
    await assert.rejects(api.history.revert({ kind: 'terminator', id, body: { revision } }), { code: 'NOT_FOUND' });
  });

  test('of an authenticator is refused, with the reason', async () => {
    await using app = await open();
    const { api } = app.controller;
    const { id } = (await api.authenticators.list()).data[0] ?? { id: '' };
    const { revision } = await api.audit.head();
    await api.authenticators.patch({ id, body: { username: 'another' } });
    await assert.rejects(api.history.revert({ kind: 'authenticator', id, body: { revision } }), (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.match(String(Object(error.cause).reason), /^entities of kind authenticator cannot be reverted/);
      return error.code === 'COULD_NOT_VALIDATE';
    });
  });
});
