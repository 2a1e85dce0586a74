import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { serve } from '../../adapters/http/node.ts';
import { type ClientOptions, createClient, each } from '../../client/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { ann, refusal } from '../support/client.ts';
import { createIdentities } from '../support/many-identities.ts';

/** A client that reaches the controller through its web-standard adapter, with what it sent. */
const clientOf = (app: App, options: Partial<ClientOptions> = {}) => {
  const handle = fetchHandler(app.controller);
  const sent: string[] = [];
  const client = createClient({
    baseUrl: 'https://controller.test/',
    credentials: ADMIN,
    wait: async () => undefined,
    fetch: (url, init) => {
      sent.push(`${init.method} ${new URL(url).pathname}`);
      return handle(new Request(url, init));
    },
    ...options,
  });
  return { client, sent };
};

onEveryStore('a client elsewhere', (open) => {
  test('has every operation of the table but those of the OpenID provider', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    for (const { group, verb } of entries.filter((entry) => !entry.group.startsWith('oidc')))
      assert.equal(typeof Reflect.get(Reflect.get(client, group), verb), 'function', `${group}.${verb}`);
  });

  test('creates, finds, changes and deletes as the facade does, and is answered the same', async () => {
    await using app = await open();
    for (const { identities } of [clientOf(app).client, app.controller.api]) {
      const { id, _links } = await identities.create({ body: { ...ann, roleAttributes: ['b', 'a', 'b'] } });
      assert.deepEqual(_links, { self: { href: `./identities/${id}` } });
      assert.deepEqual((await identities.get({ id })).roleAttributes, ['a', 'b']);
      assert.deepEqual(await identities.patch({ id, body: { isAdmin: true } }), {});
      const page = await identities.list({ filter: 'name = "ann"', limit: -1 });
      assert.deepEqual(
        page.data.map(({ isAdmin }) => isAdmin),
        [true],
      );
      assert.deepEqual(page.pagination, { limit: Number.POSITIVE_INFINITY, offset: 0, totalCount: 1 });
      assert.ok(page.filterableFields.includes('externalId'));
      assert.deepEqual(await identities.delete({ id }), {});
      await assert.rejects(identities.get({ id }), refusal(404, 'NOT_FOUND'));
      await assert.rejects(identities.create({ body: { ...ann, name: '' } }), refusal(400, 'COULD_NOT_VALIDATE', 'name'));
      await assert.rejects(identities.list({ filter: 'nope = 1' }), refusal(400, 'INVALID_FILTER'));
    }
    const { client } = clientOf(app);
    assert.deepEqual(await client.informational.summary(), await app.controller.api.informational.summary());
    assert.equal((await client.informational.openapi()).body, (await app.controller.api.informational.openapi()).body);
  });

  test('repeats query keys, and escapes the parts of a path', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    for (const [name, roleAttributes] of [
      ['one', ['x']],
      ['two', ['x', 'y']],
    ] as const)
      await client.identities.create({ body: { ...ann, name, roleAttributes: [...roleAttributes] } });
    const { data } = await client.identities.list({ roleFilter: ['#x', '#y'], roleSemantic: 'AllOf' });
    assert.deepEqual(
      data.map(({ name }) => name),
      ['two'],
    );
    for (const id of ['..', 'a/b', '?x=1', '%2e%2e']) await assert.rejects(client.identities.get({ id }), refusal(404, 'NOT_FOUND'));
    await assert.rejects(client.identities.get({ id: '' }), refusal(400, 'COULD_NOT_VALIDATE', 'id'));
  });

  test('logs in once for all that wait, when a session is first needed, and again when it has ended', async () => {
    await using app = await open();
    const { client, sent } = clientOf(app);
    await client.informational.version();
    assert.deepEqual(sent.splice(0), ['GET /edge/management/v1/version']);
    await Promise.all([client.identities.list(), client.services.list(), client.configs.list()]);
    assert.equal(sent.splice(0).filter((line) => line.endsWith('/authenticate')).length, 1);
    app.clock.advance('31m');
    await Promise.all([client.identities.list(), client.services.list()]);
    assert.equal(sent.splice(0).filter((line) => line.endsWith('/authenticate')).length, 1);
    await client.identities.list();
    assert.deepEqual(sent, ['GET /edge/management/v1/identities']);
  });

  test('a request that its identity may not make does not cause another login', async () => {
    await using app = await open();
    const user = await app.user();
    const { client, sent } = clientOf(app, { credentials: { username: user.username, password: PASSWORD } });
    assert.equal((await client.currentIdentity.get()).id, user.id);
    sent.length = 0;
    await assert.rejects(client.identities.list(), refusal(401, 'UNAUTHORIZED'));
    assert.deepEqual(sent, ['GET /edge/management/v1/identities']);
  });

  test('tells wrong credentials, none, and a session that has ended apart', async () => {
    await using app = await open();
    const wrong = clientOf(app, { credentials: { ...ADMIN, password: 'wrong password' } }).client;
    await assert.rejects(wrong.identities.list(), refusal(401, 'INVALID_AUTH'));
    await assert.rejects(createClient({ baseUrl: 'https://controller.test' }).identities.list(), refusal(401, 'UNAUTHORIZED'));
    const given = clientOf(app, { credentials: { session: app.admin } });
    await given.client.identities.list();
    app.clock.advance('31m');
    given.sent.length = 0;
    await assert.rejects(given.client.identities.list(), refusal(401, 'UNAUTHORIZED'));
    assert.deepEqual(given.sent, ['GET /edge/management/v1/identities']);
  });

  test('sees what a device sees where it asks the client API', async () => {
    await using app = await open();
    const user = await app.user();
    const { client, sent } = clientOf(app, { api: 'client', credentials: { username: user.username, password: PASSWORD } });
    assert.equal((await client.currentIdentity.get()).id, user.id);
    assert.deepEqual(sent, ['POST /edge/client/v1/authenticate', 'GET /edge/client/v1/current-identity']);
  });

  test('each entity comes once, over many pages, though others come and go', async () => {
    await using app = await open();
    const { client, sent } = clientOf(app);
    const { identities } = app.controller.api;
    await createIdentities(
      app.controller.api,
      Array.from({ length: 1100 }, (_, i) => ({ ...ann, name: `n${i}`, tags: { even: i % 2 === 0 } })),
    );
    const stay = new Set<string>();
    let first: string | undefined;
    for await (const { id, name } of each(client.identities.list, { filter: 'name contains "n" and isAdmin = false' })) {
      assert.ok(!stay.has(id), name);
      stay.add(id);
      // Whoever went by already is deleted: pages by offset would now miss others.
      if (first !== undefined) await identities.delete({ id: first });
      first = stay.size < 600 ? id : undefined;
    }
    assert.equal(stay.size, 1100);
    assert.equal(sent.filter((line) => line.endsWith('/identities')).length, 3);
    const names: string[] = [];
    for await (const { name } of each(identities.list, { filter: 'tags.even = true', sort: 'name desc' })) names.push(name);
    assert.deepEqual(names, [...names].sort().reverse());
    assert.equal(names.length, (await identities.list({ filter: 'tags.even = true' })).pagination.totalCount);
  });

  test('the reason of a call is kept in its change records, in any language', async () => {
    await using app = await open();
    const { id } = await clientOf(app).client.identities.create({ body: ann }, { reason: 'OPS-12 – für Ann' });
    const { data } = await app.controller.api.audit.list({ kind: 'identity', entityId: id });
    assert.deepEqual(
      data.map(({ reason }) => reason),
      ['OPS-12 – für Ann'],
    );
  });

  test('an aborted call says why', async () => {
    await using app = await open();
    const { client } = clientOf(app);
    const reason = new Error('no longer wanted');
    await assert.rejects(client.identities.list({}, { signal: AbortSignal.abort(reason) }), reason);
  });
});

test('it works over a real connection', async () => {
  const { openApp } = await import('../support/app.ts');
  await using app = await openApp('memory');
  const { port, close } = await serve({ controller: app.controller, port: 0 });
  try {
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, credentials: ADMIN });
    const { id } = await client.identities.create({ body: ann });
    assert.equal((await client.identities.get({ id })).name, 'ann');
  } finally {
    await close();
  }
});
