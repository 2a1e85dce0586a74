import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identitySecretOf } from '../../src/fabric/terminators/identity-secret.ts';
import { createSecrets } from '../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../src/runtime/platform/web.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

const SECRET = 'dGhpcyBpcyBhIHNlY3JldA==';

/** A terminator of a service and a router, with a secret. */
const terminate = async (app: App) => {
  const service = await app.create('/services', { name: 's', encryptionRequired: true });
  const router = await app.create('/routers', { name: 'r' });
  return app.create('/terminators', { service, router, binding: 'edge', address: 'x', identity: 'one', identitySecret: SECRET });
};

onEveryStore('the secrets of terminators', (open, store) => {
  test('they are sealed, in no answer, event, snapshot or record, and there for who has the key', async () => {
    await using app = await open();
    const events: unknown[] = [];
    app.controller.events.on('change', (change) => void events.push(change));
    const id = await terminate(app);
    await app.request('PATCH', `/terminators/${id}`, { body: { cost: 5 } });
    await app.request('GET', `/terminators/${id}`);
    assert.equal((await app.request('POST', '/database/snapshot')).status, 200);
    const kept = [
      events,
      [...app.snapshots],
      app.transcript.map(({ answer }) => answer.text),
      await app.rows('terminator'),
      await app.rows('change'),
    ];
    assert.ok(!JSON.stringify(kept).includes(SECRET));
    const [row] = await app.rows('terminator');
    const secrets = await createSecrets([SECRET_KEY], webRandom);
    assert.equal(await identitySecretOf(secrets, row as never), SECRET);
    await assert.rejects(identitySecretOf(secrets, { ...(row as never as object), id: 'another' } as never), { name: 'SecretUnreadable' });
  });

  test('what an earlier version kept in clear is sealed when the store is opened, and nothing else of it changes', async () => {
    await using storage = newSharedStorage(store);
    const first = await openApp(store, { storage: storage.adapter() });
    const id = await terminate(first);
    const [made] = await first.rows('terminator');
    assert.ok(made);
    const { sealedIdentitySecret, ...before } = made;
    await first.tamper(async (tx) => {
      await tx.update('terminator', { ...before, identitySecret: SECRET }, before.version);
      await tx.delete('keptSecret', 'terminators-are-sealed');
    });
    const changes = await first.count('change');
    await first.close();
    await using second = await openApp(store, { storage: storage.adapter() });
    const [row] = await second.rows('terminator');
    assert.ok(!JSON.stringify(row).includes(SECRET));
    assert.notEqual(row?.sealedIdentitySecret, sealedIdentitySecret);
    assert.equal(await identitySecretOf(await createSecrets([SECRET_KEY], webRandom), row as never), SECRET);
    assert.deepEqual({ ...row, sealedIdentitySecret: undefined }, { ...before, sealedIdentitySecret: undefined });
    assert.ok(!JSON.stringify(await second.rows('change')).includes(SECRET));
    assert.equal((await second.rows('change')).filter(({ entityId }) => entityId === id).length, 1);
    assert.ok((await second.count('change')) - changes <= 3, 'the login, and what says that all is sealed');
  });

  test('so are all that there were, however many, once; an empty one is none', async () => {
    await using storage = newSharedStorage(store);
    const first = await openApp(store, { storage: storage.adapter() });
    await terminate(first);
    const [made] = await first.rows('terminator');
    assert.ok(made);
    const { sealedIdentitySecret, ...row } = made;
    await first.tamper(async (tx) => {
      for (let i = 0; i < 500; i++) await tx.insert('terminator', { ...row, id: `in clear ${i}`, address: `${i}`, identitySecret: SECRET });
      await tx.insert('terminator', { ...row, id: 'without', address: 'without', identitySecret: '' });
      await tx.delete('keptSecret', 'terminators-are-sealed');
    });
    await first.close();
    const second = await openApp(store, { storage: storage.adapter() });
    const sealed = await second.rows('terminator');
    assert.equal(sealed.length, 502);
    assert.ok(!JSON.stringify(sealed).includes(SECRET));
    for (const { id, sealedIdentitySecret: secret } of sealed) assert.equal(secret === null, id === 'without', id);
    // What is sealed already stays as it is.
    assert.equal(sealed.find(({ id }) => id === made.id)?.sealedIdentitySecret, sealedIdentitySecret);
    await second.tamper((tx) => tx.delete('keptSecret', 'terminators-are-sealed'));
    await second.close();
    await using third = await openApp(store, { storage: storage.adapter() });
    assert.deepEqual(await third.rows('terminator'), sealed);
  });
});
