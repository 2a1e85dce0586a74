import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryDatabase, memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { note, schema } from '../../conformance/storage/sample.ts';

test('a store joins the transactions of its own database only, and refuses anything else with the way to begin one', async () => {
  const [database, another] = [memoryDatabase(), memoryDatabase()];
  const store = await memoryStorage({ database }).open(schema);
  for (const host of [await another.begin(), database, {}, undefined])
    assert.throws(() => store.join(host), { name: 'TypeError', message: /begin\(\) of its own database/ });
  const own = await database.begin();
  await store.join(own).insert('note', note('a'));
  own.commit();
  assert.equal(await store.transaction('read', (tx) => tx.count('note', { op: 'all' })), 1);
  await store.close();
});
