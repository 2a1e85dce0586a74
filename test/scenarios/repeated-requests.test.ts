import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, createClient } from '../../client/index.ts';
import { onEveryStore } from '../support/app.ts';
import { committedUnseen, interleaved } from '../support/interleaving.ts';
import { newHostedStorage, newSharedStorage, newStorage } from '../support/stores.ts';

const E = '/edge/management/extensions/v1';
const person = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;
const keyed = (key: string) => ({ 'idempotency-key': key });

onEveryStore('requests that are repeated with a key', (open, store) => {
  test('a create that is repeated twenty times at once makes one entity, and all who are answered get the same', async () => {
    await using shared = newSharedStorage(store);
    await using one = await open({ storage: shared.adapter() });
    await using two = await open({ storage: shared.adapter() });
    const before = await one.count('identity');
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one : two).request('POST', '/identities', { body: person('ann'), headers: keyed('k1'), as: one.admin }),
      ),
    );
    const answered = attempts.filter(({ status }) => status === 201);
    assert.ok(answered.length >= 1);
    for (const { status, body, headers } of attempts) {
      if (status === 201) continue;
      assert.deepEqual([status, body.error.code, headers['retry-after']], [409, 'CONFLICT', '1']);
    }
    assert.equal(new Set(answered.map(({ text }) => text)).size, 1);
    assert.equal(await one.count('identity'), before + 1);
    const again = await two.request('POST', '/identities', { body: person('ann'), headers: keyed('"k1"'), as: one.admin });
    assert.equal(again.text, answered[0]?.text);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.equal(answered.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1);
    assert.equal(await one.count('identity'), before + 1);
  });

  test('the key with another request is refused with 422, and belongs to its caller and operation', async () => {
    await using app = await open();
    const post = (path: string, body: object, as = app.admin) => app.request('POST', path, { body, headers: keyed('k'), as });
    const ann = await post('/identities', person('ann'));
    assert.equal(ann.status, 201);
    const other = await post('/identities', person('bob'));
    assert.deepEqual([other.status, other.body.error.code], [422, 'COULD_NOT_VALIDATE']);
    assert.equal((await post('/services', { name: 'wiki', encryptionRequired: true })).status, 201);
    const second = await app.user({ isAdmin: true });
    const bob = await post('/identities', person('bob'), await second.login());
    assert.equal(bob.status, 201);
    assert.notEqual(bob.body.data.id, ann.body.data.id);
  });

  test('a key that another controller has used at the same moment is answered with what that has done', async () => {
    const { storage, hide } = committedUnseen(newStorage(store));
    await using app = await open({ storage });
    const create = () => app.controller.api.identities.create({ body: person('ann') }, { idempotencyKey: 'k' });
    const done = await create();
    // So that nothing but the key stands in the way.
    await app.request('DELETE', `/identities/${done.id}`);
    hide('idempotencyKey');
    assert.deepEqual(await create(), done);
    assert.equal((await app.rows('identity')).filter(({ name }) => name === 'ann').length, 0);
  });

  test('the key of a request in progress is refused with 409 until that is over', async () => {
    const between = interleaved(newStorage(store));
    await using app = await open({ storage: between.storage });
    const post = () => app.request('POST', '/identities', { body: person('ann'), headers: keyed('k') });
    let second: ReturnType<typeof post> | undefined;
    between.beforeWrite(() => (second = post()));
    const [created, refused] = [await post(), await second];
    assert.deepEqual([created.status, refused?.status, refused?.body.error.code], [201, 409, 'CONFLICT']);
    assert.equal((await post()).text, created.text);
  });

  test('the users of a host have keys of their own, and each a thousand', async () => {
    await using app = await open();
    const create = (name: string, idempotencyKey: string, actor?: string) =>
      app.controller.api.identities.create({ body: person(name) }, { idempotencyKey, ...(actor === undefined ? {} : { actor }) });
    const [ann, bob, eve] = [await create('ann', 'k', 'sso:1'), await create('bob', 'k', 'sso:2'), await create('eve', 'k')];
    assert.equal(new Set([ann.id, bob.id, eve.id]).size, 3);
    assert.deepEqual([await create('ann', 'k', 'sso:1'), await create('bob', 'k', 'sso:2'), await create('eve', 'k')], [ann, bob, eve]);
    const [kept] = await app.rows('idempotencyKey');
    assert.ok(kept);
    await app.tamper(async (tx) => {
      for (let i = 0; i < 999; i++) await tx.insert('idempotencyKey', { ...kept, caller: 'system', id: `key-${i}` });
    });
    await assert.rejects(create('later', 'k2'), (error: ApiError) => error.code === 'SERVER_TOO_MANY_REQUESTS');
    await create('later', 'k2', 'sso:1');
  });

  test('a request that failed, or whose key is a day old, is carried out', async () => {
    await using app = await open();
    const post = (name: string) => app.request('POST', '/identities', { body: person(name), headers: keyed('k') });
    const taken = await app.create('/identities', person('ann'));
    assert.equal((await post('ann')).status, 400);
    await app.request('DELETE', `/identities/${taken}`);
    const first = await post('ann');
    assert.equal(first.status, 201);
    const create = (name: string) => app.controller.api.identities.create({ body: person(name) }, { idempotencyKey: 'k' });
    const { id } = await create('bob');
    app.clock.advance('86399999ms');
    assert.equal((await create('bob')).id, id);
    app.clock.advance('1ms');
    assert.notEqual((await create('eve')).id, id);
  });

  test('a batch, a token and calls in process are repeated, too', async () => {
    await using app = await open();
    const { api } = app.controller;
    const options = { idempotencyKey: 'k' };
    const body = { operations: [{ operation: 'identities.create', input: { body: person('ann') } }] };
    const ran = await api.batch.run({ body }, options);
    assert.deepEqual(await api.batch.run({ body }, options), ran);
    const identityId = ran.results[0]?.id ?? '';
    const token = { body: { identityId, name: 'ci', permissions: [], expiresAt: new Date(app.clock.now() + 86_400_000).toISOString() } };
    const made = await api.apiTokens.create(token, options);
    const { secret, ...rest } = made;
    assert.deepEqual(await api.apiTokens.create(token, options), rest);
    assert.equal(await app.count('apiToken'), 1);
    await assert.rejects(
      api.identities.create({ body: person('ann') }, { idempotencyKey: 'a key' }),
      /the option idempotencyKey of \S+ must be 1 to 255 visible ASCII/,
    );
    // Neither the answer, nor what was asked, nor the key itself can be read in the store.
    const stored = JSON.stringify(await app.rows('idempotencyKey'));
    assert.ok(!stored.includes(identityId) && !stored.includes('ann') && !stored.includes(String(secret)));
    assert.equal((await app.rows('idempotencyKey')).length, 2);
  });

  test('what cannot be repeated refuses the key, and does nothing', async () => {
    await using app = await open();
    const sessions = await app.count('apiSession');
    const login = await app.request('POST', '/authenticate?method=password', {
      as: null,
      body: { username: 'admin', password: 'the-admin-password' },
      headers: keyed('k'),
    });
    assert.equal(login.status, 400);
    assert.match(login.body.error.cause.reason, /authentication.authenticate does not accept an idempotency key/);
    const snapshot = await app.request('POST', '/database/snapshot', { headers: keyed('k') });
    assert.equal(snapshot.status, 400);
    assert.deepEqual([await app.count('apiSession'), app.snapshots.size], [sessions, 0]);
    for (const key of ['', 'two words', 'ü', 'x'.repeat(256)])
      assert.equal((await app.request('POST', '/identities', { body: person('ann'), headers: keyed(key) })).status, 400, key);
    // A request that is the same however often it is made ignores the key.
    const patch = await app.request('PATCH', '/identities/none', { body: {}, headers: keyed('k') });
    assert.equal(patch.status, 404);
  });

  test('a caller has no more than a thousand keys within a day, and expired ones are deleted', async () => {
    await using app = await open();
    const expiresAt = new Date(app.clock.now() + 3_600_000).toISOString();
    const stored = { caller: 'system', sealed: 'x', version: 1, createdAt: expiresAt, updatedAt: expiresAt, tags: {}, expiresAt };
    await app.tamper(async (tx) => {
      for (let i = 0; i < 1000; i++) await tx.insert('idempotencyKey', { ...stored, id: `key-${i}` });
    });
    const create = (name: string, idempotencyKey: string) =>
      app.controller.api.identities.create({ body: person(name) }, { idempotencyKey });
    await assert.rejects(create('ann', 'k'), (error: ApiError) => error.code === 'SERVER_TOO_MANY_REQUESTS' && error.retryAfter === 3600);
    assert.equal((await app.request('POST', '/identities', { body: person('bob'), headers: keyed('k') })).status, 201);
    app.clock.advance('2h');
    for (let i = 0; i < 5; i++) await create(`later ${i}`, `later ${i}`.replace(' ', '-'));
    assert.ok((await app.count('idempotencyKey')) < 960);
  });

  test('what the host rolls back can be repeated', async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const create = (options: object) => app.controller.api.identities.create({ body: person('ann') }, { idempotencyKey: 'k', ...options });
    const undone = transaction(async (host) => {
      await create({ transaction: host });
      throw new TypeError('changed my mind');
    });
    await assert.rejects(undone, /changed my mind/);
    assert.equal(await app.count('idempotencyKey'), 0);
    const { id } = await create({});
    assert.equal((await create({})).id, id);
  });

  test('the typed client repeats a keyed create whose answer was lost', async () => {
    await using app = await open();
    let isLost = true;
    const client = createClient({
      baseUrl: 'https://127.0.0.1:1280',
      credentials: { session: app.admin },
      wait: async () => undefined,
      fetch: async (url, { method = 'GET', headers, body } = {}) => {
        const { pathname, search } = new URL(String(url));
        const all = headers as Record<string, string>;
        const answer = await app.request(method, pathname + search, { headers: all, as: null, ...(body ? { raw: String(body) } : {}) });
        if (isLost) {
          isLost = false;
          throw new TypeError('fetch failed');
        }
        return new Response(answer.text, { status: answer.status, headers: answer.headers });
      },
    });
    const before = await app.count('identity');
    await client.identities.create({ body: person('ann') }, { idempotencyKey: 'k' });
    assert.equal(await app.count('identity'), before + 1);
    isLost = true;
    await assert.rejects(client.identities.create({ body: person('bob') }), (error: ApiError) => error.code === 'SERVER_UNAVAILABLE');
    const batched = { operations: [{ operation: 'identities.create', input: { body: person('cid') } }] };
    await app.request('POST', `${E}/batch`, { body: batched, headers: keyed('k') });
    assert.equal(await app.count('identity'), before + 3);
  });
});
