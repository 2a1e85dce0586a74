/** What is made of rows and remembered: until when, and of which rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL, and, dateField, equals, oneOf, type Predicate, stringField } from '../../src/query/index.ts';
import type { Derivation } from '../../src/read-cache/derived-values.ts';
import type { Query, Transaction } from '../../src/storage/port.ts';
import { openBesideReadCache } from '../support/read-caches.ts';
import { stores } from '../support/stores.ts';

const PASSWORD = 'a password of somebody';
const ofIdentities = (ids: readonly string[]): Predicate => oneOf(stringField('identityId'), ids);

for (const name of stores) {
  const ground = async ({ maxBytes = 1_000_000 } = {}) => {
    const beside = await openBesideReadCache(name, maxBytes);
    const { store, cache, ann, bob } = beside;
    const names = new Map([
      [ann.id, 'ann'],
      [bob.id, 'bob'],
    ]);
    const both: Query = { where: oneOf(stringField('id'), [ann.id, bob.id]) };
    /** Of which rows a text is made, when it is asked for what is made of rows and of these reads. */
    const madeOf = async (
      read: (reads: Transaction, ids: readonly string[]) => Promise<unknown>,
      { asPage = false, form = String(read) } = {},
    ) => {
      const made: string[] = [];
      const derivation: Derivation<object> = {
        form,
        fields: [],
        derive: async (reads, rows, asTexts) => {
          const ids = rows.map(({ id }) => id);
          await read(reads, ids);
          made.push(...ids.map((id) => names.get(id) ?? '?'));
          return asTexts ? ids : ids.map((id) => ({ id }));
        },
      };
      await store.transaction('read', async (tx) => {
        const reading = cache.reading(tx);
        const texts = await reading.remember('identity', asPage ? both : await reading.list('identity', both), derivation);
        assert.deepEqual(texts.map(({ row }) => row.id).toSorted(), [ann.id, bob.id].toSorted());
      });
      return made.toSorted();
    };
    return { ...beside, madeOf };
  };

  test(`a text lasts until its row changes, or what was read by the id of its row (${name})`, async () => {
    await using it = await ground();
    const read = (tx: Transaction, ids: readonly string[]) => tx.list('authenticator', { where: ofIdentities(ids) });
    assert.deepEqual(await it.madeOf(read), ['ann', 'bob']);
    assert.deepEqual(await it.madeOf(read), []);
    await it.app.request('PATCH', `/identities/${it.bob.id}`, { body: { tags: { a: 'b' } } });
    assert.deepEqual(await it.madeOf(read), ['bob']);
    await it.app.request('PATCH', `/authenticators/${it.ann.authenticatorId}`, { body: { username: 'anna', password: PASSWORD } });
    assert.deepEqual(await it.madeOf(read), ['ann']);
    await it.app.create('/identities', { name: 'carl', type: 'User', isAdmin: false });
    assert.deepEqual(await it.madeOf(read), []);
  });

  test(`what is read by a value that no row names, or by none, is read for all (${name})`, async () => {
    await using it = await ground();
    const service = await it.app.create('/services', { name: 'web', encryptionRequired: true });
    const byId = (tx: Transaction) => tx.list('service', { where: equals(stringField('id'), service) });
    const all = (tx: Transaction) => tx.list('service', { where: ALL });
    for (const read of [byId, all]) {
      assert.deepEqual(await it.madeOf(read), ['ann', 'bob']);
      assert.deepEqual(await it.madeOf(read), []);
      await it.app.request('PATCH', `/services/${service}`, { body: { tags: { read: String(read) } } });
      assert.deepEqual(await it.madeOf(read), ['ann', 'bob']);
    }
    await it.madeOf(byId);
    await it.app.create('/services', { name: 'other', encryptionRequired: true });
    assert.deepEqual(await it.madeOf(byId), []);
    assert.deepEqual(await it.madeOf(all), ['ann', 'bob']);
  });

  test(`what was sealed is kept in no text (${name})`, async () => {
    await using it = await ground();
    await it.app.create('/enrollments', { method: 'ott', identityId: it.ann.id, expiresAt: '2100-01-01T00:00:00.000Z' });
    const own = (tx: Transaction, ids: readonly string[]) => tx.list('enrollment', { where: ofIdentities(ids) });
    assert.deepEqual(await it.madeOf(own), ['ann', 'bob']);
    assert.deepEqual(await it.madeOf(own), ['ann']);
    const all = (tx: Transaction) => tx.list('enrollment', { where: ALL });
    const ofAnn = (tx: Transaction) => tx.list('enrollment', { where: ofIdentities([it.ann.id]) });
    assert.deepEqual([await it.madeOf(all), await it.madeOf(all)].flat(), ['ann', 'bob', 'ann', 'bob']);
    assert.deepEqual([await it.madeOf(ofAnn), await it.madeOf(ofAnn)].flat(), ['ann', 'bob', 'ann']);
  });

  test(`what hangs on values that no change record has is true for the moment (${name})`, async () => {
    await using it = await ground();
    const active: Predicate = { op: 'compare', field: dateField('lastActivityAt'), is: '>', value: '2000-01-01T00:00:00.000Z' };
    const read = (tx: Transaction) => tx.list('apiSession', { where: active });
    assert.deepEqual([await it.madeOf(read), await it.madeOf(read)].flat(), ['ann', 'bob', 'ann', 'bob']);
  });

  test(`what was read through a subquery lasts until the next change of its table (${name})`, async () => {
    await using it = await ground();
    const configTypeId = await it.app.create('/config-types', { name: 'type' });
    const config = await it.app.create('/configs', { name: 'config', configTypeId, data: {} });
    const service = await it.app.create('/services', { name: 'web', encryptionRequired: true, configs: [config] });
    const ofConfig = { kind: 'config', where: equals(stringField('name'), 'config') } as const;
    const hasConfig: Predicate = { op: 'size', set: 'configs', is: '>=', value: 1, of: ofConfig };
    const lists = (tx: Transaction) => tx.list('service', { where: and(equals(stringField('id'), service), hasConfig) });
    const refers = (tx: Transaction) => tx.referenced('service', 'id', [service], hasConfig);
    for (const read of [lists, refers]) {
      assert.deepEqual([await it.madeOf(read), await it.madeOf(read)].flat(), ['ann', 'bob']);
      await it.app.request('PATCH', `/configs/${config}`, { body: { tags: { read: String(read) } } });
      assert.deepEqual(await it.madeOf(read), ['ann', 'bob']);
    }
  });

  test(`of pages, what is asked for again is remembered, once there is little room (${name})`, async () => {
    const read = (tx: Transaction, ids: readonly string[]) => tx.list('authenticator', { where: ofIdentities(ids) });
    await using roomy = await ground();
    assert.deepEqual(await roomy.madeOf(read, { asPage: true }), ['ann', 'bob']);
    assert.deepEqual(await roomy.madeOf(read, { asPage: true }), []);
    await using full = await ground({ maxBytes: 8000 });
    for (let i = 0; i < 20; i++) await full.madeOf(read, { form: `another form ${i}, which takes room` });
    assert.deepEqual(await full.madeOf(read, { asPage: true }), ['ann', 'bob']);
    assert.deepEqual(await full.madeOf(read, { asPage: true }), ['ann', 'bob'], 'asked for again: remembered from now on');
    assert.deepEqual(await full.madeOf(read, { asPage: true }), []);
  });
}
