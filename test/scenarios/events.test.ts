import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KindName, kinds } from '../../src/api/index.ts';
import type { Resource } from '../../src/api/kit/resource.ts';
import { fieldsOf } from '../../src/api/kit/variants.ts';
import type { Change } from '../../src/index.ts';
import type { StorageAdapter, Store } from '../../src/storage/port.ts';
import { proves } from '../specification.ts';
import type { App } from '../support/app.ts';
import { onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { kindRules } from '../support/kinds.ts';
import { aRouterCertificate } from '../support/routers.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

/** By the field table: what every entity has, and what is stored and not hidden. */
const readableFields = (kind: KindName, state: Readonly<Record<string, unknown>>): readonly string[] => {
  const table: Pick<Resource, 'fields' | 'variants'> = kinds[kind] as unknown as Resource; // any kind is one, whatever its fields
  const stored = Object.entries(fieldsOf(table, state)).flatMap(([name, { keep }]) => (keep === 'stored' ? [name] : []));
  const base = ['id', 'version', 'createdAt', 'updatedAt', 'tags', ...('isSystem' in state ? ['isSystem'] : [])];
  return [...new Set([...base, ...stored])].toSorted();
};

interface Seen {
  readonly revision: number;
  readonly action: string;
  readonly entity: string;
  readonly entityId: string;
}

/** What the controller announces from now on, as `create identity`. */
const listening = ({ controller }: App) => {
  const seen: Seen[] = [];
  controller.events.on('change', (change) => void seen.push(change));
  return { seen, told: () => seen.map(({ action, entity }) => `${action} ${entity}`) };
};

onEveryStore('events', (open, store) => {
  test('every change is announced once, in order of revision, by the time that the call is answered', proves(478), async () => {
    await using app = await open();
    const { seen, told } = listening(app);
    const id = await app.create('/identities', ann);
    assert.deepEqual(told(), ['create identity']);
    await app.request('PATCH', `/identities/${id}`, { body: { isAdmin: true } });
    await app.request('DELETE', `/identities/${id}`);
    assert.deepEqual(told(), ['create identity', 'update identity', 'delete identity']);
    await app.controller.publish();
    assert.equal(seen.length, 3);
    assert.deepEqual(
      seen.map(({ entityId }) => entityId),
      [id, id, id],
    );
  });

  test('so is what another controller wrote before, however long it takes to read it from the log', async () => {
    await using shared = newSharedStorage(store);
    let isSlow = false;
    const adapter = shared.adapter();
    const storage: StorageAdapter = {
      open: async (schema) => {
        const real = await adapter.open(schema);
        const transaction: Store['transaction'] = async (mode, work) => {
          for (let turn = 0; isSlow && mode === 'read' && turn < 20; turn++) await new Promise(setImmediate);
          return real.transaction(mode, work);
        };
        return { transaction, join: (host) => real.join(host), close: () => real.close() };
      },
    };
    await using app = await openApp(store, { storage, ...(adapter.secretKey ? { secretKey: adapter.secretKey } : {}) });
    await using other = await openApp(store, { storage: shared.adapter(), ...(adapter.secretKey ? { secretKey: adapter.secretKey } : {}) });
    await app.controller.publish();
    const { told, seen } = listening(app);
    await other.create('/identities', ann);
    isSlow = true;
    const { id } = await app.controller.identities.create({ body: { ...ann, name: 'bob' } });
    assert.deepEqual(told(), ['create identity', 'create identity']);
    assert.equal(seen.at(-1)?.entityId, id);
  });

  test('the change log keeps as many records as it was told, the latest ones', async () => {
    await using app = await open({ settings: { changesKept: 20 } });
    for (let i = 0; i < 15; i++) await app.request('DELETE', `/identities/${await app.create('/identities', ann)}`);
    const revisions = (await app.rows('change')).map(({ revision }) => Number(revision));
    assert.equal(revisions.length, 20);
    assert.deepEqual(
      revisions,
      revisions.map((_, i) => (revisions[0] ?? 0) + i),
    );
    await app.controller.publish();
  });

  test('revisions have no gaps, however many calls there are at once', async () => {
    await using app = await open();
    const { seen } = listening(app);
    const names = Array.from({ length: 25 }, (_, i) => `ann ${i}`);
    await Promise.all(
      names.flatMap((name) => [
        app.create('/identities', { ...ann, name }),
        app.request('POST', '/identities', { body: { ...ann, name: 'Default Admin' } }),
      ]),
    );
    const revisions = seen.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      names.map((_, i) => (revisions[0] ?? 0) + i),
    );
  });

  test('events of a kind are the changes of that kind', async () => {
    await using app = await open();
    const seen: string[] = [];
    const note = ({ action, entity }: Seen) => void seen.push(`${action} ${entity}`);
    for (const kind of ['authenticator', 'apiSession'] as const) app.controller.events.on(kind, note);
    const user = await app.user();
    await user.login();
    await app.request('DELETE', `/identities/${user.id}`);
    assert.deepEqual(seen.toSorted(), ['create apiSession', 'create authenticator', 'delete apiSession', 'delete authenticator']);
  });

  test('an event tells who, when, in which request, and the state before and after', async () => {
    await using app = await open();
    const changes: unknown[] = [];
    const id = await app.create('/identities', ann);
    app.controller.events.once('identity', (change) => void changes.push(change));
    app.clock.advance('1m');
    await app.request('PATCH', `/identities/${id}`, { body: { name: 'bob' } });
    await app.request('PATCH', `/identities/${id}`, { body: { name: 'cat' } });
    const [{ before, after, requestId, revision, ...change }] = changes as [
      { before: Record<string, unknown>; after: Record<string, unknown>; requestId: string; revision: number },
    ];
    const administrator = (await app.request('GET', '/current-identity')).body.data.id;
    assert.deepEqual(change, { action: 'update', entity: 'identity', entityId: id, actor: administrator, at: '2026-11-21T10:01:00.000Z' });
    assert.deepEqual([before.name, after.name, before.id, after.id], ['ann', 'bob', id, id]);
    assert.equal(changes.length, 1);
    assert.ok(requestId.length > 0 && revision > 0);
  });

  test('what is refused, reads, and activity alone are no events', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const { told } = listening(app);
    await app.request('POST', '/identities', { body: { ...ann, name: user.username } });
    await app.request('POST', '/identities', { as, body: ann });
    await app.request('DELETE', '/auth-policies/default');
    await app.request('PATCH', `/identities/${user.id}`, { body: {} });
    await app.login(user.username, 'a wrong password');
    app.clock.advance('10m');
    await app.request('GET', '/current-identity', { as });
    await app.controller.publish();
    assert.deepEqual(told(), []);
  });

  test('everything that one call changes is announced together, or nothing of it', async () => {
    await using app = await open();
    const configTypeId = await app.create('/config-types', { name: 'used' });
    await app.create('/configs', { name: 'a config', configTypeId, data: {} });
    const user = await app.user();
    await user.login();
    const { told } = listening(app);
    await app.request('DELETE', `/config-types/${configTypeId}`);
    assert.deepEqual(told(), []);
    await app.request('DELETE', `/identities/${user.id}`);
    assert.deepEqual(told().toSorted(), ['delete apiSession', 'delete authenticator', 'delete identity']);
  });

  test('a listener that throws disturbs neither the call nor the events that follow', async () => {
    await using app = await open();
    app.controller.events.on('identity', () => {
      throw new Error('a bad listener');
    });
    const second: unknown[] = [];
    app.controller.events.on('identity', ({ action }) => void second.push(action));
    const { told } = listening(app);
    const original = console.error;
    console.error = () => {}; // the logger of the tests shows errors, and these are meant to be
    const id = await app.create('/identities', ann);
    await app.request('DELETE', `/identities/${id}`);
    console.error = original;
    assert.deepEqual(told(), ['create identity', 'delete identity']);
    assert.deepEqual(second, ['create', 'delete']);
    assert.equal(app.log.filter((line) => line.includes('a bad listener')).length, 2);
  });

  test('an asynchronous listener that rejects is logged, and ends nothing, even where the logger fails', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on('unhandledRejection', note);
    try {
      const lines: string[] = [];
      const logger = {
        warn: () => undefined,
        info: () => undefined,
        error: (message: string, details?: object) => {
          lines.push(`${message} ${JSON.stringify(details)}`);
          throw new Error('a bad logger');
        },
      };
      await using app = await open({ platform: { logger } });
      let heard = 0;
      app.controller.events.on('identity', async () => {
        await Promise.resolve();
        throw new Error('a bad asynchronous listener');
      });
      app.controller.events.on('change', () => heard++);
      await app.controller.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
      await new Promise((done) => setImmediate(done)); // when Node tells of what nobody has caught
      assert.equal(heard, 1);
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /a listener failed .*"entity":"identity".*a bad asynchronous listener/);
      assert.deepEqual(rejections, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  test('a listener may call the controller', async () => {
    await using app = await open();
    const { promise, resolve } = Promise.withResolvers<string>();
    app.controller.events.once('identity', async ({ entityId }) => resolve((await app.controller.identities.get({ id: entityId })).name));
    await app.create('/identities', ann);
    assert.equal(await promise, 'ann');
  });

  test('a listener that is taken off hears nothing more', async () => {
    await using app = await open();
    const seen: unknown[] = [];
    const note = (change: unknown) => void seen.push(change);
    app.controller.events.on('change', note);
    await app.create('/identities', ann);
    app.controller.events.off('change', note);
    await app.create('/identities', { ...ann, name: 'bob' });
    assert.equal(seen.length, 1);
  });

  test('another controller on the same store hears of it when it is told to publish, once', async () => {
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

  test('changes that left the log before a controller published them are missed with a warning, and those that are there are told', async () => {
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
    const { id } = await app.controller.identities.create({ body: { ...ann, name: 'owner' } });
    for (let i = 0; i < 10; i++) {
      const body = { name: `p${i}`, type: 'Dial' as const, semantic: 'AnyOf' as const, identityRoles: [`@${id}`], serviceRoles: [] };
      await app.controller.servicePolicies.create({ body });
    }
    const before = seen.length;
    await app.controller.identities.delete({ id });
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

  test('a state holds the stored fields of its kind that somebody may read, and no others, in events and in the log', async () => {
    await using app = await open();
    const changes: Change[] = [];
    app.controller.events.on('change', (change) => void changes.push(change));
    await (await app.user()).login();
    await aRouterCertificate(app);
    for (const { path, body } of await kindRules(app)) await app.request('DELETE', `${path}/${await app.create(path, body)}`);
    assert.ok(new Set(changes.map(({ entity }) => entity)).size > 15, 'few kinds prove little');
    const logged = (await app.rows('change')).filter(({ revision }) => Number(revision) >= (changes[0]?.revision ?? 0));
    for (const change of [...changes, ...(logged as unknown as readonly Change[])]) {
      const { action, entity, before, after } = change;
      assert.deepEqual([before === null, after === null], [action === 'create', action === 'delete']);
      for (const state of [before, after])
        if (state !== null) assert.deepEqual(Object.keys(state).toSorted(), readableFields(entity, { ...state }), entity);
    }
  });

  test('no event holds a password, a hash or a token', async () => {
    await using app = await open();
    const changes: unknown[] = [];
    app.controller.events.on('change', (change) => void changes.push(change));
    const user = await app.user();
    const token = await user.login();
    await app.request('PATCH', `/authenticators/${user.authenticatorId}`, { body: { password: 'another password' } });
    const hashes = (await app.rows('authenticator')).map(({ passwordHash }) => String(passwordHash));
    const told = JSON.stringify(changes);
    for (const secret of [PASSWORD, 'another password', token, ...hashes, 'passwordHash', 'tokenHash', 'failedAttempts'])
      assert.ok(!told.includes(secret), secret);
  });
});
