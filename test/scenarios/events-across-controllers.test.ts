import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeTransactions } from '../support/altered-storage.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { ann, listening } from '../support/events.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';

onEveryStore('events of several controllers', (open, store) => {
  test('what another controller wrote before is announced, too, however long it takes to read it from the log', async () => {
    await using shared = newSharedStorage(store);
    let isSlow = false;
    const adapter = shared.adapter();
    const storage = beforeTransactions(adapter, async (mode) => {
      for (let turn = 0; isSlow && mode === 'read' && turn < 20; turn++) await new Promise(setImmediate);
    });
    await using app = await openApp(store, { storage, ...(adapter.secretKey ? { secretKey: adapter.secretKey } : {}) });
    await using other = await openApp(store, { storage: shared.adapter(), ...(adapter.secretKey ? { secretKey: adapter.secretKey } : {}) });
    await app.controller.publish();
    const { told, seen } = listening(app);
    await other.create('/identities', ann);
    isSlow = true;
    const { id } = await app.controller.api.identities.create({ body: { ...ann, name: 'bob' } });
    assert.deepEqual(told(), ['create identity', 'create identity']);
    assert.equal(seen.at(-1)?.entityId, id);
  });

  test('another controller on the same store hears of it when publish is called on it, once', async () => {
    const storage = newStorage(store);
    await using one = await open({ storage });
    await using two = await open({ storage });
    const { told } = listening(two);
    await one.create('/identities', ann);
    assert.deepEqual(told(), []);
    await two.controller.publish();
    await two.controller.publish();
    assert.deepEqual(told(), ['create identity']);
    await two.create('/identities', { ...ann, name: 'bob' });
    assert.deepEqual(told(), ['create identity', 'create identity']);
  });

  test('changes that left the log before a controller published them are missed with a warning, and the others are published', async () => {
    const storage = newStorage(store);
    const settings = { changesKept: 5 };
    await using one = await open({ storage, settings });
    await using two = await open({ storage, settings });
    const { seen } = listening(two);
    const write = async (times: number) => {
      for (let i = 0; i < times; i++) await one.create('/identities', { ...ann, name: crypto.randomUUID() });
    };
    const warned = () => two.log.filter((line) => line.startsWith('["changes left the change log before'));
    await write(5);
    await two.controller.publish();
    assert.deepEqual([seen.length, warned()], [5, []], 'all that the log keeps');
    const last = seen.at(-1)?.revision ?? 0;
    await write(6);
    await two.controller.publish();
    assert.deepEqual(
      seen.slice(5).map(({ revision }) => revision),
      [2, 3, 4, 5, 6].map((i) => last + i),
    );
    assert.equal(warned().length, 1);
    assert.ok(warned()[0]?.includes(`{"from":${last + 1},"to":${last + 1}}`), warned()[0]);

    await write(7);
    await two.create('/identities', { ...ann, name: 'after a gap' });
    assert.equal(warned().length, 2);
    // Of seven, five are kept, and one made way for the controller's own, which it tells without the log.
    assert.deepEqual([seen.length, seen.at(-1)?.revision], [11 + 4, last + 14]);
  });

  test('what a controller writes itself it tells, though the log keeps less of it', async () => {
    await using app = await open({ settings: { changesKept: 5 } });
    const { seen } = listening(app);
    const { id } = await app.controller.api.identities.create({ body: { ...ann, name: 'owner' } });
    for (let i = 0; i < 10; i++) {
      const body = { name: `p${i}`, type: 'Dial' as const, semantic: 'AnyOf' as const, identityRoles: [`@${id}`], serviceRoles: [] };
      await app.controller.api.servicePolicies.create({ body });
    }
    const before = seen.length;
    await app.controller.api.identities.delete({ id });
    const revisions = seen.map(({ revision }) => revision);
    assert.ok(seen.length - before > 5, `${seen.length - before}`);
    assert.deepEqual(
      revisions,
      revisions.map((_, i) => (revisions[0] ?? 0) + i),
    );
  });

  test('a controller that catches up while it writes announces all in order', async () => {
    const storage = newStorage(store);
    await using one = await open({ storage });
    await using two = await open({ storage });
    const { seen } = listening(two);
    for (let i = 0; i < 5; i++) {
      await one.create('/identities', { ...ann, name: `one ${i}` });
      await Promise.all([two.create('/identities', { ...ann, name: `two ${i}` }), two.controller.publish()]);
    }
    const revisions = seen.map(({ revision }) => revision);
    assert.equal(revisions.length, 10);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
  });
});
