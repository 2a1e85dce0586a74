import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

/** For every kind that takes tags: where, and what a body must have beside them. */
const kinds = async (app: App): Promise<Readonly<Record<string, (name: string) => object>>> => {
  const configTypeId = await app.create('/config-types', { name: 'the type of all configs' });
  const owners: string[] = [];
  for (let i = 0; i < 4; i++) owners.push(await app.create('/identities', { name: `owner ${i}`, type: 'User', isAdmin: false }));
  let next = 0;
  return {
    '/identities': (name) => ({ name, type: 'User', isAdmin: false }),
    '/auth-policies': (name) => policyBody(name),
    '/config-types': (name) => ({ name }),
    '/configs': (name) => ({ name, configTypeId, data: {} }),
    '/authenticators': (name) => ({
      identityId: owners[next++ % owners.length],
      method: 'updb',
      username: `user ${name}`,
      password: PASSWORD,
    }),
  };
};

onEveryStore('tags', (open) => {
  test('tags are texts, booleans and null, under any names that are not empty, for every kind', proves(25, 59, 92), async () => {
    await using app = await open();
    const tags = { text: 'x', none: null, yes: true, no: false, empty: '', 'with.dots and spaces': 'ok', 'ünïcödé 😀': '\u2028"' };
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const id = await app.create(collection, { ...body('tagged'), tags });
      assert.deepEqual((await app.request('GET', `${collection}/${id}`)).body.data.tags, tags, collection);
    }
  });

  test('tags of any other kind are refused on every write, and nothing changes', proves(26, 72), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const good = { ...body('good'), tags: { a: 'b' } };
      const id = await app.create(collection, good);
      const left = await app.trail(async () => {
        for (const value of [1, 1.5, [], ['x'], {}, { b: 'c' }]) {
          const tags = { fine: 'x', bad: value };
          assertInvalid(await app.request('POST', collection, { body: { ...body('bad'), tags } }), 'tags');
          assertInvalid(await app.request('PUT', `${collection}/${id}`, { body: { ...good, tags } }), 'tags');
          assertInvalid(await app.request('PATCH', `${collection}/${id}`, { body: { tags } }), 'tags');
        }
        assertInvalid(await app.request('PATCH', `${collection}/${id}`, { body: { tags: { '': 'x' } } }), 'tags');
        for (const tags of ['x', [], 5, true])
          assertRefused(await app.request('PATCH', `${collection}/${id}`, { body: { tags } }), 400, 'COULD_NOT_PARSE_BODY');
      });
      assert.deepEqual(left, [], collection);
      assert.deepEqual((await app.request('GET', `${collection}/${id}`)).body.data.tags, { a: 'b' });
    }
  });

  test('tags that are null are none on create and replace, and left alone by a patch', proves(27), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const good = body('good');
      const id = await app.create(collection, { ...good, tags: null });
      const tags = async () => (await app.request('GET', `${collection}/${id}`)).body.data.tags;
      assert.deepEqual(await tags(), {}, collection);
      await app.request('PATCH', `${collection}/${id}`, { body: { tags: { a: 'b' } } });
      for (const patch of [{ tags: null }, { ...good, tags: null }, good]) {
        assert.equal((await app.request('PATCH', `${collection}/${id}`, { body: patch })).status, 200);
        assert.deepEqual(await tags(), { a: 'b' }, collection);
      }
      await app.request('PUT', `${collection}/${id}`, { body: { ...good, tags: null } });
      assert.deepEqual(await tags(), {}, collection);
    }
  });

  test('entities are found by their tags, whatever their kind', proves(313), async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const id = await app.create(collection, { ...body('tagged'), tags: { floor: 'seven', vip: true, none: null } });
      const found = async (filter: string) => (await list(app, collection, { filter })).body.data.map((each: { id: string }) => each.id);
      for (const filter of [
        'tags.floor = "seven"',
        'tags.vip',
        'tags.vip = true',
        'tags.floor contains "eve"',
        'tags.floor != null and tags.none = null',
      ]) {
        assert.deepEqual(await found(filter), [id], `${collection}: ${filter}`);
      }
      assert.deepEqual(await found('tags.floor = "eight"'), [], collection);
    }
  });
});
