import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { type Api, ApiError, versionOf } from '../../src/index.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';

const ann = { name: 'ann', type: 'User', isAdmin: false } as const;

const stale = (error: unknown): true => {
  assert.ok(error instanceof ApiError, String(error));
  assert.deepEqual([error.status, error.code], [412, 'PRECONDITION_FAILED']);
  return true;
};

type Ways = Pick<Api<{ readonly ifVersion?: number | undefined }>, 'identities' | 'services' | 'routers' | 'edgeRouters' | 'apiSessions'>;

/** In process, and from elsewhere. */
const waysOf = (app: App): readonly Ways[] => {
  const handle = fetchHandler(app.controller);
  const client = createClient({
    baseUrl: 'https://controller.test',
    credentials: ADMIN,
    fetch: (url, init) => handle(new Request(url, init)),
  });
  return [app.controller.api, client];
};

const versionAt = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => headers['etag'];

onEveryStore('versions of entities', (open) => {
  test('an entity tells its version, beside its fields', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      const before = await identities.get({ id });
      assert.equal(versionOf(before), (await app.rows('identity')).find((row) => row.id === id)?.version);
      await identities.patch({ id, body: { isAdmin: true } });
      const after = await identities.get({ id });
      assert.ok(Number(versionOf(after)) > Number(versionOf(before)));
      assert.ok(!JSON.stringify(after).includes('version'));
      await identities.delete({ id });
    }
    const { id } = await app.controller.api.identities.create({ body: ann });
    const { data } = await app.controller.api.identities.list({ filter: 'name = "ann"' });
    assert.equal(versionOf(data[0] ?? {}), versionOf(await app.controller.api.identities.get({ id })));
  });

  test('a shallow copy has the version of the entity, and equals it', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      const read = await identities.get({ id });
      const { tags, ...rest } = read;
      for (const copy of [{ ...read }, Object.assign({}, read), { ...read, name: 'bob' }, { ...rest, tags: { ...tags, seen: true } }])
        assert.equal(versionOf(copy), versionOf(read));
      assert.deepEqual({ ...read }, JSON.parse(JSON.stringify(read)));
      const other = await identities.get({ id: (await identities.create({ body: { ...ann, name: 'eve' } })).id });
      assert.equal(versionOf({ ...read, ...other }), versionOf(other));
      await identities.patch({ id, body: { name: 'bob' } }, { ifVersion: versionOf({ ...read }) });
      await assert.rejects(identities.patch({ id, body: { name: 'cid' } }, { ifVersion: versionOf({ ...read }) }), stale);
      for (const { id } of [read, other]) await identities.delete({ id });
    }
  });

  test('what lost its version is refused, with the reason and what to do', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      const read = await identities.get({ id });
      for (const copy of [JSON.parse(JSON.stringify(read)), structuredClone(read)])
        await assert.rejects(identities.patch({ id, body: { name: 'bob' } }, { ifVersion: versionOf(copy) }), {
          name: 'TypeError',
          message: /got undefined: the object has no version: pass one that get or list returned in this process, or a shallow copy of it$/,
        });
      await assert.rejects(
        identities.patch({ id, body: {} }, { ifVersion: read as never }),
        /got an object: versionOf\(entity\) returns it/,
      );
      assert.equal((await identities.get({ id })).name, 'ann');
      await identities.delete({ id });
    }
  });

  test('a change on condition of a version is made while the entity has it, and not afterwards', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      const read = await identities.get({ id });
      const ifVersion = versionOf(read);
      await identities.patch({ id, body: { tags: { by: 'first' } } }, { ifVersion });
      await assert.rejects(identities.patch({ id, body: { tags: { by: 'second' } } }, { ifVersion }), stale);
      await assert.rejects(identities.patch({ id, body: {} }, { ifVersion }), stale);
      await assert.rejects(identities.replace({ id, body: { ...ann, name: 'bob' } }, { ifVersion }), stale);
      await assert.rejects(identities.delete({ id }, { ifVersion }), stale);
      const now = await identities.get({ id });
      assert.deepEqual([now.name, now.tags], ['ann', { by: 'first' }]);
      await identities.replace({ id, body: { ...ann, name: 'bob' } }, { ifVersion: versionOf(now) });
      await identities.delete({ id }, { ifVersion: versionOf(await identities.get({ id })) });
      await assert.rejects(identities.get({ id }), { code: 'NOT_FOUND' });
    }
  });

  test('of two writers with one version exactly one wins', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      for (let round = 0; round < 5; round++) {
        const ifVersion = versionOf(await identities.get({ id }));
        const writers = ['a', 'b', 'c'].map((by) =>
          identities.patch({ id, body: { tags: { by, round: String(round) } } }, { ifVersion }).then(() => by),
        );
        const outcomes = await Promise.allSettled(writers);
        const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
        for (const outcome of outcomes) if (outcome.status === 'rejected') stale(outcome.reason);
        assert.equal(won.length, 1);
        assert.equal((await identities.get({ id })).tags['by'], won[0]);
      }
      await identities.delete({ id });
    }
  });

  test('no handler forgets the condition, its own or that of all kinds, and nothing is written', async () => {
    await using app = await open();
    const { controller } = app;
    const { id } = await controller.api.edgeRouters.create({ body: { name: 'r' } });
    const old = versionOf(await controller.api.edgeRouters.get({ id }));
    await controller.api.edgeRouters.patch({ id, body: { cost: 5 } });
    assert.deepEqual(
      await app.trail(async () => {
        await assert.rejects(controller.api.edgeRouters.delete({ id }, { ifVersion: old }), stale);
        // Another way to the same row, with a handler of its own.
        await assert.rejects(controller.api.routers.delete({ id }, { ifVersion: old }), stale);
        const sessionId = (await controller.api.apiSessions.list({})).data[0]?.id ?? '';
        await assert.rejects(controller.api.apiSessions.delete({ id: sessionId }, { ifVersion: 1 }), stale);
      }),
      [],
    );
    await controller.api.routers.delete({ id }, { ifVersion: versionOf(await controller.api.edgeRouters.get({ id })) });
  });

  test('a condition that nothing can be held against is refused, and not ignored', async () => {
    await using app = await open();
    for (const { identities } of waysOf(app)) {
      const { id } = await identities.create({ body: ann });
      for (const ifVersion of [undefined, 0, -1, 1.5, Number.NaN, '3' as never])
        await assert.rejects(identities.patch({ id, body: { isAdmin: true } }, { ifVersion }), {
          name: 'TypeError',
          message: /must be the version of an entity, an integer from 1, got .*(?:versionOf\(entity\)|get or list returned)/,
        });
      await assert.rejects(identities.create({ body: { ...ann, name: 'bob' } }, { ifVersion: 3 }), {
        name: 'TypeError',
        message: /does not accept ifVersion/,
      });
      await assert.rejects(identities.get({ id }, { ifVersion: 3 }), TypeError);
      assert.equal((await identities.get({ id })).isAdmin, false);
      await identities.delete({ id });
    }
  });

  test('over HTTP an entity has a tag, which If-Match holds against PUT, PATCH and DELETE', async () => {
    await using app = await open();
    const id = await app.create('/identities', ann);
    const path = `/identities/${id}`;
    const etag = versionAt(await app.request('GET', path));
    assert.match(etag ?? '', /^"\d+-[0-9a-z]+"$/);
    const patch = (match: string, body: object = { tags: { match } }) =>
      app.request('PATCH', path, { body, headers: { 'if-match': match } });
    assert.equal((await patch(etag ?? '')).status, 200);
    for (const [method, body] of [
      ['PATCH', { isAdmin: true }],
      ['PUT', ann],
      ['DELETE', undefined],
    ] as const) {
      const refused = await app.request(method, path, { body, headers: { 'if-match': etag ?? '' } });
      assert.deepEqual([refused.status, refused.body.error.code], [412, 'PRECONDITION_FAILED'], method);
    }
    assert.equal((await patch(`W/${versionAt(await app.request('GET', path))}`)).status, 412);
    const plain = (await app.request('GET', path)).headers['etag']?.replace(/-.*/, '"') ?? '';
    assert.equal((await patch(plain)).status, 200, 'the version alone');
    const malformed = await patch('12');
    assert.deepEqual([malformed.status, malformed.body.error.cause.field], [400, 'If-Match']);
    assert.equal((await patch('*')).status, 200);
    assert.equal((await patch(`"1", ${versionAt(await app.request('GET', path))}`)).status, 200);
    assert.equal((await app.request('PATCH', path, { body: { isAdmin: true } })).status, 200, 'without a condition the last write wins');
    const created = await app.request('POST', '/identities', { body: { ...ann, name: 'bob' }, headers: { 'if-match': '"1"' } });
    assert.deepEqual([created.status, created.body.error.cause.field], [400, 'If-Match'], 'what names no entity takes no condition');
    assert.equal((await app.request('PATCH', '/identities/nope', { body: { isAdmin: true }, headers: { 'if-match': '"1"' } })).status, 404);
  });
});

test('a conditional request is not made again when no answer came: it may have been carried out', async () => {
  const methods: string[] = [];
  const client = createClient({
    baseUrl: 'https://controller.test',
    credentials: { session: 'a token' },
    wait: async () => undefined,
    fetch: async (_, { method = '', headers }) => {
      methods.push(`${method} ${new Headers(headers).get('if-match')}`);
      throw new Error('connection reset');
    },
  });
  await assert.rejects(client.identities.patch({ id: 'x', body: {} }, { ifVersion: 7 }), { code: 'SERVER_UNAVAILABLE' });
  assert.deepEqual(methods, ['PATCH "7"']);
});
