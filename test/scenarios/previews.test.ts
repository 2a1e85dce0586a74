import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, previewing } from '../../client/index.ts';
import { isPreviewable } from '../../src/call/batchable.ts';
import { groups } from '../../src/contract/api/index.ts';
import type { Change } from '../../src/index.ts';
import { allRows } from '../support/all-rows.ts';
import { onEveryStore } from '../support/app.ts';

const E = '/edge/management/extensions/v1';
const person = (name: string, more: object = {}) => ({ name, type: 'User', isAdmin: false, ...more }) as const;
const DRY_RUN = { prefer: 'dry-run' };

onEveryStore('previews', (open) => {
  test('a preview shows what a write would change, and leaves no row, no revision, no event and no hook behind', async () => {
    const hooked: Change[] = [];
    await using app = await open({
      hooks: { inTransaction: (change) => void hooked.push(change), afterCommit: (change) => void hooked.push(change) },
    });
    const { api, events } = app.controller;
    const { id } = await api.identities.create({ body: person('ann', { roleAttributes: ['reader'] }) });
    await app.settled();
    hooked.length = 0;
    events.on('change', (change) => void hooked.push(change));
    const before = await allRows(app);
    const patched = await previewing(api).identities.patch({ id, body: { roleAttributes: [] } });
    assert.deepEqual(patched.result, {});
    assert.equal(patched.changeCount, 1);
    const [change] = patched.changes;
    assert.deepEqual([change?.action, change?.entity, change?.entityId], ['update', 'identity', id]);
    const attributesIn = (row: unknown) => Object(row).roleAttributes;
    assert.deepEqual([attributesIn(change?.before), attributesIn(change?.after)], [['reader'], []]);
    const created = await previewing(api).identities.create({ body: person('bob') });
    assert.equal(created.changes[0]?.entityId, created.result.id);
    const removed = await previewing(api).identities.delete({ id });
    assert.equal(removed.changes[0]?.action, 'delete');
    assert.deepEqual(
      [patched, created, removed].map(({ revision }) => revision),
      Array.from({ length: 3 }, () => Math.max(...(before['change'] ?? []).map(({ version }) => version))),
    );
    await app.settled();
    assert.deepEqual(await allRows(app), before);
    assert.deepEqual(hooked, []);
    // The log continues without a gap.
    const made = await api.identities.create({ body: person('bob') });
    assert.equal((await api.changes.list({ after: created.revision })).data[0]?.entityId, made.id);
  });

  test('over HTTP, a write that prefers a dry run is answered with its preview', async () => {
    await using app = await open();
    const before = await allRows(app);
    const answer = await app.request('POST', '/identities', { body: person('ann'), headers: DRY_RUN });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['preference-applied'], 'dry-run');
    assert.equal(answer.headers['location'], undefined);
    assert.deepEqual(Object.keys(answer.body.data).slice(0, 4), ['result', 'changes', 'changeCount', 'revision']);
    const refused = await app.request('POST', '/identities', { body: person('', {}), headers: DRY_RUN });
    assert.equal(refused.status, 400);
    for (const prefer of ['respond-async, dry-run', 'wait=10;x, Dry-Run="1"', 'dry-run'])
      assert.equal((await app.request('POST', '/identities', { body: person('ann'), headers: { prefer } })).status, 200);
    assert.deepEqual(await allRows(app), before);
    for (const prefer of ['return=minimal', 'dry-runs', ''])
      assert.equal((await app.request('POST', '/identities', { body: person(`with ${prefer}`), headers: { prefer } })).status, 201);
    const list = await app.request('GET', '/identities', { headers: DRY_RUN });
    assert.equal(list.headers['preference-applied'], undefined);
  });

  test('a batch is previewed as a whole', async () => {
    await using app = await open();
    const before = await allRows(app);
    const operations = [
      { operation: 'identities.create', input: { body: person('ann') } },
      { operation: 'identities.patch', input: { id: '$1.id', body: { roleAttributes: ['reader'] } } },
    ];
    const { data } = (await app.request('POST', `${E}/batch`, { body: { operations }, headers: DRY_RUN })).body;
    const [{ id }] = data.result.results;
    assert.deepEqual(
      data.changes.map(({ action, entityId }: Change) => [action, entityId]),
      [
        ['create', id],
        ['update', id],
      ],
    );
    assert.equal(data.changeCount, 2);
    assert.deepEqual(await allRows(app), before);
  });

  test('a caller with a right to identities only sees what happens to these', async () => {
    await using app = await open();
    const helper = await app.user({ permissions: ['identity'] });
    const ann = await app.user();
    await ann.login();
    const as = await helper.login();
    const { data } = (await app.request('DELETE', `/identities/${ann.id}`, { as, headers: DRY_RUN })).body;
    assert.deepEqual(
      data.changes.map((change: object) => change),
      [{ action: 'delete', entity: 'identity', entityId: ann.id }],
    );
    assert.ok(data.changeCount > 1);
    const operations = [{ operation: 'identities.delete', input: { id: ann.id } }];
    const batched = (await app.request('POST', `${E}/batch`, { as, body: { operations }, headers: DRY_RUN })).body.data;
    assert.deepEqual(batched.changes, data.changes);
    // Who can reach what is beyond its rights, in a batch as well.
    assert.deepEqual([data.access, batched.access], [undefined, undefined]);
    const forbidden = await app.request('POST', '/services', { as, body: { name: 'x', encryptionRequired: true }, headers: DRY_RUN });
    assert.equal(forbidden.status, 401);
  });

  test('an administrator whom the rule of the host limits is not shown who can reach what', async () => {
    await using app = await open({
      authorize: ({ actor, right }) =>
        actor.identity?.name === 'limited' && right?.startsWith('identity.') ? { where: 'name = "ann"' } : undefined,
    });
    const { id } = await app.user({ name: 'ann' });
    const reportTo = async (as: string) => (await app.request('DELETE', `/identities/${id}`, { as, headers: DRY_RUN })).body.data.access;
    assert.ok(await reportTo(app.admin));
    assert.equal(await reportTo(await (await app.user({ name: 'limited', isAdmin: true })).login()), undefined);
  });

  test('five hundred changes are shown, and all are counted', async () => {
    await using app = await open();
    const services = Array.from({ length: 501 }, (_, i) => ({ body: { name: `s${i}`, encryptionRequired: true } }));
    const operations = services.map((input) => ({ operation: 'services.create', input }));
    // One after the other: each holds the write lock for seconds on a busy machine.
    for (const count of [500, 501]) {
      const { status, body } = await app.request('POST', `${E}/batch`, {
        body: { operations: operations.slice(0, count) },
        headers: DRY_RUN,
      });
      assert.equal(status, 200, JSON.stringify(body.error));
      assert.deepEqual([body.data.changes.length, body.data.changeCount], [500, count]);
    }
  });

  test('an operation that calls out, or that is about a session, is refused and does nothing', async () => {
    await using app = await open();
    const snapshot = await app.request('POST', '/database/snapshot', { headers: DRY_RUN });
    assert.equal(snapshot.status, 400);
    assert.match(snapshot.body.error.cause.reason, /database.createSnapshot cannot be previewed: its work continues after its answer/);
    assert.equal(app.snapshots.size, 0);
    const sessions = await app.count('apiSession');
    const login = await app.request('POST', '/authenticate?method=password', {
      as: null,
      body: { username: 'admin', password: 'the-admin-password' },
      headers: DRY_RUN,
    });
    assert.equal(login.status, 400);
    assert.equal(await app.count('apiSession'), sessions);
    await assert.rejects(app.controller.api.identities.list({}, { preview: true }), /identities.list cannot be previewed: it only reads/);
    await assert.rejects(
      app.controller.api.identities.delete({ id: 'x' }, { preview: false as never }),
      /the option preview of \S+ must be true, got false/,
    );
    await assert.rejects(
      app.controller.api.identities.delete({ id: 'x' }, { overrideTests: 'false' as never }),
      /the option overrideTests of \S+ must be true, got false/,
    );
    await assert.rejects(app.controller.api.identities.delete({ id: 'x' }, { preview: true, transaction: {} }), TypeError);
  });

  test('the typed client previews, too', async () => {
    await using app = await open();
    const client = createClient({
      baseUrl: 'https://127.0.0.1:1280',
      credentials: { session: app.admin },
      fetch: async (url, { method = 'GET', headers, body } = {}) => {
        const { pathname, search } = new URL(String(url));
        const all = headers as Record<string, string>;
        const answer = await app.request(method, pathname + search, { headers: all, as: null, ...(body ? { raw: String(body) } : {}) });
        return new Response(answer.text, { status: answer.status, headers: answer.headers });
      },
    });
    const before = await allRows(app);
    const { result, changes } = await previewing(client).identities.create({ body: person('ann') });
    assert.equal(changes[0]?.entityId, result.id);
    assert.deepEqual(await allRows(app), before);
  });
});

test('every operation that writes can be previewed, or says why not', () => {
  const refused = Object.entries(groups).flatMap(([group, { operations }]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.method !== 'GET' && operation.permission.includes('.') && !isPreviewable(operation))
      .map(([verb]) => `${group}.${verb}`),
  );
  assert.deepEqual(refused.sort(), [
    'access.preview',
    'authenticators.create',
    'authenticators.patch',
    'authenticators.replace',
    'circuits.delete',
    'database.checkIntegrity',
    'database.createSnapshot',
    'database.createSnapshotWithPath',
    'database.fixIntegrity',
    'externalJwtSigners.checkToken',
    'externalJwtSigners.discover',
    'inspections.run',
    'links.delete',
    'links.patch',
    'networkEvents.toggleTraces',
    'validations.dataModel',
    'validations.repairDataModel',
    'validations.repairTerminators',
    'validations.terminators',
  ]);
});
