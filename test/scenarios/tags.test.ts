import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, openApp, PASSWORD } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { newSharedStorage } from '../support/stores.ts';

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

  test('tags of any other kind are refused on every write, and nothing changes', proves(26, 72, 306, 307, 445), async () => {
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

  const NUMBERS = { whole: 5, negative: -1.75, zero: 0, large: 2.5e21, small: 5e-7 };

  test('numbers are refused unless the setting numericTags takes them, which the refusal names', async () => {
    await using app = await open();
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const refused = await app.request('POST', collection, { body: { ...body('refused'), tags: NUMBERS } });
      assertInvalid(refused, 'tags');
      assert.equal(
        refused.body.error.cause.reason,
        'tags must be text, booleans or null, but whole is a number, which requires the setting numericTags',
      );
    }
    await assert.rejects(app.controller.api.configTypes.create({ body: { name: 'refused', tags: NUMBERS } }), {
      code: 'COULD_NOT_VALIDATE',
    });
  });

  test('with the setting, numbers are kept and shown as they are, and found by value; maps and lists stay refused', async () => {
    await using app = await open({ settings: { numericTags: true } });
    for (const [collection, body] of Object.entries(await kinds(app))) {
      const id = await app.create(collection, { ...body('numbered'), tags: { ...NUMBERS, text: '5' } });
      const other = await app.create(collection, { ...body('other'), tags: { whole: 'five' } });
      assert.equal((await app.request('PATCH', `${collection}/${other}`, { body: { tags: { whole: 7, text: 'x' } } })).status, 200);
      assert.deepEqual((await app.request('GET', `${collection}/${id}`)).body.data.tags, { ...NUMBERS, text: '5' }, collection);
      const found = async (filter: string) => (await list(app, collection, { filter })).body.data.map((each: { id: string }) => each.id);
      for (const filter of [
        'tags.whole = 5',
        'tags.whole = 5.0',
        'tags.whole = "5"',
        'tags.whole in [4, 5]',
        'tags.whole < 7 and tags.whole != null',
        'tags.negative = -1.75',
        'tags.zero = 0 and tags.zero != null',
        'tags.large > 1e21',
        'tags.large = "2500000000000000000000"',
        'tags.small = "0.0000005"',
        'tags.text = "5" and tags.text != 5',
      ])
        assert.deepEqual(await found(filter), [id], `${collection}: ${filter}`);
      assert.deepEqual(await found('tags.whole > 5'), [other], collection);
      for (const value of [[], [1], {}, { n: 1 }])
        assertInvalid(await app.request('PATCH', `${collection}/${id}`, { body: { tags: { value } } }), 'tags');
    }
  });
});

onEveryStore('tags that were written while the setting was on', (_, store) => {
  test('they are shown and found after it was turned off, until they are written again', async () => {
    const shared = newSharedStorage(store);
    const opened = (numericTags: boolean) => openApp(store, { storage: shared.adapter(), settings: { numericTags } });
    const before = await opened(true);
    const id = await before.create('/config-types', { name: 'x', tags: { n: 1 } });
    await before.close();
    await using app = await opened(false);
    const at = `/config-types/${id}`;
    assert.equal((await app.request('PATCH', at, { body: { name: 'y' } })).status, 200);
    assert.deepEqual((await app.request('GET', at)).body.data.tags, { n: 1 });
    assert.equal((await list(app, '/config-types', { filter: 'tags.n = 1' })).body.data.length, 1);
    assertInvalid(await app.request('PATCH', at, { body: { tags: { n: 1 } } }), 'tags');
  });
});
