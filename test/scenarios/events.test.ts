import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KindName, kinds } from '../../src/contract/api/index.ts';
import type { Resource } from '../../src/contract/api/kit/resource.ts';
import { fieldsOf } from '../../src/contract/api/kit/variants.ts';
import type { Change } from '../../src/index.ts';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { ann, listening, type Seen } from '../support/events.ts';
import { interleaved } from '../support/interleaving.ts';
import { kindRules } from '../support/kinds.ts';
import { aRouterCertificate } from '../support/routers.ts';
import { newStorage } from '../support/stores.ts';

/** By the field table: what every entity has, and what is stored, not hidden and no credential. */
const readableFields = (kind: KindName, state: Readonly<Record<string, unknown>>): readonly string[] => {
  const table: Pick<Resource, 'fields' | 'variants'> = kinds[kind] as unknown as Resource; // any kind is one, whatever its fields
  const stored = Object.entries(fieldsOf(table, state)).flatMap(([name, { keep, credential }]) =>
    keep === 'stored' && !credential ? [name] : [],
  );
  const base = ['id', 'version', 'createdAt', 'updatedAt', 'tags', ...('isSystem' in state ? ['isSystem'] : [])];
  return [...new Set([...base, ...stored])].toSorted();
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
    const user = await app.user();
    await user.login();
    await app.request('DELETE', `/identities/${user.id}`);
    assert.ok(told().includes('delete apiSession') && told().includes('delete authenticator'), 'one call changed several entities');
    const revisions = seen.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.map((_, i) => (revisions[0] ?? 0) + i),
    );
  });

  test('a change that is published from the log before its own call announces it is announced once', proves(478), async () => {
    const interleaving = interleaved(newStorage(store));
    await using app = await open({ storage: interleaving.storage });
    const { told } = listening(app);
    interleaving.afterWrite(() => app.controller.publish());
    await app.create('/identities', ann);
    assert.ok(interleaving.isOver);
    assert.deepEqual(told(), ['create identity']);
  });

  test('the change log keeps as many records as its settings say, the latest ones', async () => {
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

  test('an event shows who, when, in which request, and the state before and after', async () => {
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
    assert.deepEqual(change, {
      action: 'update',
      entity: 'identity',
      entityId: id,
      actor: administrator,
      onBehalfOf: null,
      reason: null,
      at: '2026-11-21T10:01:00.000Z',
    });
    assert.deepEqual([before.name, after.name, before.id, after.id], ['ann', 'bob', id, id]);
    assert.equal(changes.length, 1);
    assert.ok(requestId.length > 0 && revision > 0);
  });

  test('refusals, reads, and activity alone do not cause events', async () => {
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
