import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { newStorage } from '../support/stores.ts';

onEveryStore('what was read before', (openPlain, store) => {
  const open = async (readCacheBytes?: number) => {
    const { storage, asked } = counted(newStorage(store));
    // Without what reads in the background.
    const settings = { roleIndexBytes: 0, ...(readCacheBytes !== undefined && { readCacheBytes }) };
    const app = await openPlain({ storage, oidc: false, settings });
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await app.create('/identities', { name: `i${i}`, type: 'Device', isAdmin: false }));
    const read = (id: string | undefined) =>
      asked(async () => assert.equal((await app.request('GET', `/identities/${id}`)).body.data.id, id, 'another identity'));
    const bytes = async () => (await app.controller.statistics()).readCacheBytes;
    return { ids, read, bytes, [Symbol.asyncDispose]: () => app.close() };
  };

  test('is remembered: of an identity that is known, no row is read', async () => {
    await using at = await open();
    await at.read(at.ids[0]);
    assert.ok(!(await at.read(at.ids[0])).includes('get identity'));
    assert.ok((await at.bytes()) > 0);
  });

  test('is forgotten beyond the bytes of the setting, the oldest first', async () => {
    await using at = await open(30_000);
    for (const id of at.ids) await at.read(id);
    const bytes = await at.bytes();
    assert.ok(bytes > 10_000 && bytes <= 30_000, `${bytes} bytes`);
    assert.ok(!(await at.read(at.ids.at(-1))).includes('get identity'));
    assert.ok((await at.read(at.ids[0])).includes('get identity'));
  });

  test('is remembered without end where the setting says so', async () => {
    await using at = await open(Infinity);
    for (const id of [...at.ids, ...at.ids.slice(0, 1)]) await at.read(id);
    assert.ok(!(await at.read(at.ids[0])).includes('get identity'));
  });

  test('is not remembered where the setting says 0', async () => {
    await using at = await open(0);
    for (let i = 0; i < 2; i++) assert.ok((await at.read(at.ids[0])).includes('get identity'));
    assert.equal(await at.bytes(), 0);
  });
});
