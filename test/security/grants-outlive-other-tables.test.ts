/** A limit that asks about another table than the one that is granted: access ends with the change there, for reads, lists and writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostRule } from '../../src/call/pipeline/host-rule.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { newHostedStorage, newSharedStorage, newStorage } from '../support/stores.ts';

const OPEN = 'not isEmpty(from configs where name = "open")';

/** Grants the services that use a config named "open", to everybody who is no administrator. */
const whereOpen: HostRule = ({ actor, right }) =>
  actor.kind === 'identity' && actor.identity?.isAdmin === false && right?.startsWith('service.') ? { where: OPEN } : undefined;

/** A service with a config, and the token of a session that the rule limits. */
const ground = async (app: App) => {
  const configTypeId = await app.create('/config-types', { name: 'type' });
  const configId = await app.create('/configs', { name: 'open', configTypeId, data: {} });
  const serviceId = await app.create('/services', { name: 's', encryptionRequired: true, configs: [configId] });
  const ann = await app.user();
  const as = await ann.login();
  const rename = async (name: string, by = app) => {
    const { status } = await by.request('PATCH', `/configs/${configId}`, { body: { name } });
    assert.equal(status, 200);
  };
  return { serviceId, as, rename, path: `/services/${serviceId}` };
};

const listed = async (app: App, as: string, filter = 'true'): Promise<readonly [number, number]> => {
  const { body } = await app.request('GET', `/services?filter=${encodeURIComponent(filter)}`, { as });
  return [body.data.length, body.meta.pagination.totalCount];
};

onEveryStore('a right that hangs on another table', (open, store) => {
  test('a list whose filter asks about configs follows their names', async () => {
    await using app = await open();
    const { rename } = await ground(app);
    for (const limit of [1, 10]) {
      const asked = async () => listed(app, app.admin, `${OPEN} limit ${limit}`);
      assert.deepEqual(
        [await asked(), await asked()],
        [
          [1, 1],
          [1, 1],
        ],
      );
      await rename('closed');
      assert.deepEqual(await asked(), [0, 0]);
      await rename('open');
      assert.deepEqual(await asked(), [1, 1]);
    }
  });

  test('reading and listing end with the change of the other table, also when another controller made it', async () => {
    await using shared = newSharedStorage(store);
    const opened = () => openApp(store, { storage: shared.adapter(), authorize: whereOpen });
    await using app = await opened();
    await using other = await opened();
    const { as, rename, path } = await ground(app);
    for (const by of [app, other]) {
      for (let i = 0; i < 2; i++) {
        assert.equal((await app.request('GET', path, { as })).status, 200);
        assert.deepEqual(await listed(app, as), [1, 1]);
      }
      await rename('closed', by);
      assert.equal((await app.request('GET', path, { as })).status, 404);
      assert.deepEqual(await listed(app, as), [0, 0]);
      await rename('open', by);
    }
  });

  test('what was lost in the meantime is neither changed nor deleted', async () => {
    await using app = await open({ authorize: whereOpen });
    const { as, rename, path } = await ground(app);
    assert.equal((await app.request('PATCH', path, { as, body: { name: 'mine' } })).status, 200);
    await rename('closed');
    assert.equal((await app.request('PATCH', path, { as, body: { name: 'still mine' } })).status, 404);
    assert.equal((await app.request('DELETE', path, { as })).status, 404);
    await rename('open');
    assert.equal((await app.request('DELETE', path, { as })).status, 200);
  });

  test('a delete is held against the limit in its own transaction, whatever was asked before it began', async () => {
    let before = async () => {};
    await using app = await open({ authorize: whereOpen, hooks: { before: async () => before() } });
    const { as, rename, path } = await ground(app);
    // The rule was asked, and its limit held, when the config is renamed.
    before = async () => {
      before = async () => {};
      await rename('closed');
    };
    assert.equal((await app.request('DELETE', path, { as })).status, 404);
    assert.equal((await app.request('GET', path)).status, 200);
  });

  test('a write asks the store whether it is within the limit, however often that was read', async () => {
    const { storage, asked } = counted(newStorage(store));
    await using app = await openApp(store, { storage, authorize: whereOpen, oidc: false, settings: { roleIndexBytes: 0 } });
    const { as, path } = await ground(app);
    for (let i = 0; i < 2; i++) await app.request('GET', path, { as });
    /** Whether it asks in its transaction, before it changes anything. */
    const asksBefore = async (change: string, method: string, body?: unknown) => {
      const questions = await asked(() => app.request(method, path, { as, body }));
      return questions.slice(questions.indexOf('write'), questions.indexOf(`${change} service`)).some(isAboutLimit);
    };
    const isAboutLimit = (question: string) => /^(count|referenced) service$/.test(question);
    assert.ok(!(await asked(() => app.request('GET', path, { as }))).some(isAboutLimit));
    assert.ok(await asksBefore('update', 'PATCH', { name: 'mine' }));
    assert.ok(await asksBefore('delete', 'DELETE'));
  });

  for (const [when, patch] of [
    ['before the rule was asked', 'configs'],
    ['after it was asked', 'hook'],
  ] as const)
    test(`a delete in a host's transaction is held against what that transaction changed ${when}`, async () => {
      const hosted = newHostedStorage(store);
      let before = async () => {};
      await using app = await openApp(store, { storage: hosted.storage, authorize: whereOpen, hooks: { before: async () => before() } });
      const { as, path, serviceId } = await ground(app);
      const [config] = await app.rows('config');
      const ann = app.controller.as(as);
      const work = hosted.transaction(async (transaction) => {
        const close = async () => {
          before = async () => {};
          await app.controller.api.configs.patch({ id: config?.id ?? '', body: { name: 'closed' } }, { transaction });
        };
        if (patch === 'hook') before = close;
        else await close();
        await ann.services.delete({ id: serviceId }, { transaction });
      });
      await assert.rejects(work, { code: 'NOT_FOUND' });
      assert.equal((await app.request('GET', path)).status, 200);
    });
});
