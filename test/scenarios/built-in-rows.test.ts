import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepBuiltIn } from '../../src/controller/opening/keep-built-in.ts';
import { type BuiltIn, builtIn } from '../../src/operations/restore/built-in.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { newStorage } from '../support/stores.ts';

const INTERCEPT = 'g7cIWbcGg';
const HOST = 'NH5p4FpGR';

/**
 * The built-in rows of a later release, which has a wider schema of two config types, a new config type, a new identity type, and a renamed
 * check type.
 */
const later: readonly BuiltIn[] = [
  ...builtIn.map((row): BuiltIn => {
    if (row.kind === 'configType' && [INTERCEPT, HOST].includes(row.id))
      return { ...row, fields: { ...row.fields, schema: { later: true } } };
    return row.kind === 'postureCheckType' && row.id === 'MAC' ? { ...row, fields: { ...row.fields, name: 'MAC Check' } } : row;
  }),
  { kind: 'configType', id: 'later.v1', policy: 'offered', fields: { name: 'later.v1', schema: { type: 'object' } } },
  { kind: 'identityType', id: 'Device', policy: 'fixed', fields: { name: 'Device' } },
];

onEveryStore('the built-in rows of a later release', (open, name) => {
  const network = async () => {
    const storage = counting(newStorage(name));
    const app = await open({ storage });
    /** Opens the network as a release with these rows does; gives the calls of the store that it took. */
    const upgrade = async (rows: readonly BuiltIn[] = later): Promise<number> => {
      const store = await storage.open(storageSchema);
      const stamp = () => new Date(app.clock.now()).toISOString();
      const limits = { changesKept: 1000, changeBytesKept: Number.MAX_SAFE_INTEGER };
      const cost = await costOf(() =>
        keepBuiltIn(store, { actor: 'system', requestId: 'open', random: webPlatform().random, stamp, ...limits }, rows),
      );
      await store.close();
      return cost;
    };
    return { app, upgrade };
  };
  const get = async (app: App, path: string) => (await app.request('GET', path)).body.data;

  test('reach a network of this release: what is new, and what is as it was given', async () => {
    const { app, upgrade } = await network();
    await using _ = app;
    await upgrade();
    assert.deepEqual((await get(app, `/config-types/${INTERCEPT}`)).schema, { later: true });
    assert.deepEqual((await get(app, '/config-types/later.v1')).schema, { type: 'object' });
    assert.equal((await get(app, '/identity-types/Device')).name, 'Device');
    assert.equal((await get(app, '/posture-check-types/MAC')).name, 'MAC Check');
  });

  test('leave alone what an administrator has changed, and bring back nothing that was deleted', async () => {
    const { app, upgrade } = await network();
    await using _ = app;
    const ours = { type: 'object', required: ['ours'] };
    await app.request('PATCH', `/config-types/${HOST}`, { body: { schema: ours } });
    await app.request('DELETE', `/config-types/${INTERCEPT}`);
    await app.request('PATCH', '/auth-policies/default', { body: { name: 'Ours' } });
    await upgrade();
    assert.deepEqual((await get(app, `/config-types/${HOST}`)).schema, ours);
    assert.equal((await app.request('GET', `/config-types/${INTERCEPT}`)).status, 404);
    assert.equal((await get(app, '/auth-policies/default')).name, 'Ours');
    // Nor does a release after that.
    await upgrade(
      later.map(
        (row): BuiltIn =>
          row.id === HOST && row.kind === 'configType' ? { ...row, fields: { ...row.fields, schema: { evenLater: true } } } : row,
      ),
    );
    assert.deepEqual((await get(app, `/config-types/${HOST}`)).schema, ours);
  });

  test('do not get in the way of an entity that has the name already', async () => {
    const { app, upgrade } = await network();
    await using _ = app;
    const id = await app.create('/config-types', { name: 'later.v1', schema: { type: 'object', required: ['mine'] } });
    await upgrade();
    assert.equal((await app.request('GET', '/config-types/later.v1')).status, 404);
    assert.deepEqual((await get(app, `/config-types/${id}`)).schema, { type: 'object', required: ['mine'] });
  });

  test('are looked for with one question for each kind, and one for the records', async () => {
    const { app, upgrade } = await network();
    await using _ = app;
    assert.equal(await upgrade(builtIn), new Set(builtIn.map(({ kind }) => kind)).size + 1);
  });

  test('are written once: a network that has them is only read', async () => {
    const { app, upgrade } = await network();
    await using _ = app;
    const left = await app.trail(async () => {
      await upgrade();
      await upgrade();
    });
    assert.deepEqual(left.toSorted(), [
      'create configType',
      'create identityType',
      'update configType',
      'update configType',
      'update postureCheckType',
    ]);
  });
});
