import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { type BackupOptions, type BackupStore, ManagementController, restoreSnapshot } from '../../src/index.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** Backups in memory, and how to let the next ones fail. */
const kept = () => {
  const texts = new Map<string, string>();
  const saved: string[] = [];
  const failing: { reason?: string; times: number } = { times: 0 };
  const backups: BackupStore = {
    save: async (name, parts) => {
      if (failing.reason !== undefined) {
        failing.times++;
        throw new Error(failing.reason);
      }
      let text = '';
      for await (const part of parts) text += part;
      texts.set(name, text);
      saved.push(name);
    },
    list: async () => [...texts.keys()],
    delete: async (name) => void texts.delete(name),
  };
  return { backups, texts, saved, failing };
};

/** Lets time pass, as if the machine had slept, and then minutes until something is so. */
const pass = async (app: App, duration: string, isSo: () => boolean): Promise<void> => {
  app.clock.suspend(duration);
  await until(() => {
    if (!isSo()) app.clock.advance('1m');
    return isSo();
  });
};

/** Waits for what was started already. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};

const warnings = async (app: App): Promise<readonly string[]> =>
  (await app.controller.health()).reasons.filter(({ concerns }) => concerns === 'backups').map(({ message }) => message);

onEveryStore('scheduled backups', (open, store) => {
  test('the first one is taken at once, and others at their interval, each of which can be restored', async () => {
    const { backups, texts } = kept();
    await using app = await open({ backups: { store: backups, everyHours: 2 } });
    await until(() => texts.size === 1);
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    app.clock.suspend('100m');
    await turns();
    assert.equal(texts.size, 1);
    await pass(app, '10m', () => texts.size === 2);
    const [first = '', second = ''] = texts.values();
    assert.equal(first.includes('"ann"'), false);
    const storage = memoryStorage();
    await restoreSnapshot({ storage, snapshot: [second], secretKey: SECRET_KEY });
    const restored = await openApp('memory', { storage });
    assert.equal((await restored.controller.api.identities.list({ filter: 'name = "ann"' })).data.length, 1);
    assert.deepEqual(await warnings(app), []);
    await restored.close();
  });

  test('so many of the latest are kept, and what else is in the store', async () => {
    const { backups, texts, saved } = kept();
    texts.set('notes', 'of the operator');
    await using app = await open({ backups: { store: backups, everyHours: 1, keep: 3 } });
    await until(() => texts.size === 2);
    for (let hour = 0; hour < 5; hour++) {
      const [latest] = [...texts.keys()].reverse();
      await pass(app, '60m', () => [...texts.keys()].at(-1) !== latest && texts.size <= 4);
    }
    const [notes, ...names] = texts.keys();
    assert.deepEqual([notes, names.length], ['notes', 3]);
    assert.deepEqual(names, saved.slice(-3));
  });

  test('those that are older than a number of days are deleted, but never the last one', async () => {
    const { backups, texts } = kept();
    texts.set('20200101-000000-old', 'old');
    texts.set('20200102-000000-old', 'old');
    await using app = await open({ backups: { store: backups, everyHours: 24, keepForDays: 2 } });
    await until(() => texts.size === 1);
    for (let day = 1; day < 5; day++) {
      const [latest] = [...texts.keys()].reverse();
      await pass(app, '24h', () => [...texts.keys()].at(-1) !== latest && texts.size === Math.min(day + 1, 2));
    }
    await pass(app, '20d', () => texts.size === 1);
  });

  test('one that fails is tried again, deletes none, and is a warning of the health with its reason', async () => {
    const { backups, texts, failing } = kept();
    await using app = await open({ backups: { store: backups, everyHours: 1, keep: 1 } });
    await until(() => texts.size === 1);
    const [first = ''] = texts.keys();
    failing.reason = 'the disk is full';
    await pass(app, '60m', () => failing.times > 1);
    await until(async () => (await warnings(app)).length > 0);
    assert.deepEqual([...texts.keys()], [first]);
    const [warning = '', ...others] = await warnings(app);
    assert.match(warning, /^the backup at \d{4}-.*Z failed: the disk is full; the last good one is of \d{4}-/);
    assert.deepEqual([others, (await app.controller.health()).isHealthy], [[], true]);
    delete failing.reason;
    await pass(app, '1m', () => texts.size === 1 && !texts.has(first));
    assert.deepEqual(await warnings(app), []);
  });

  test('of two controllers on a store, one takes each, and both know of it', async () => {
    const [one, two] = [kept(), kept()];
    await using shared = newSharedStorage(store);
    const openShared = (backups: BackupStore) => {
      const { secretKey, ...adapter } = { secretKey: undefined, ...shared.adapter() };
      return openApp(store, { storage: adapter, backups: { store: backups, everyHours: 1 }, ...(secretKey ? { secretKey } : {}) });
    };
    await using app = await openShared(one.backups);
    await until(() => one.texts.size === 1);
    await using other = await openShared(two.backups);
    other.clock.suspend('50m');
    await turns();
    await other.settled();
    assert.equal(two.texts.size, 0);
    // Not `pass`, whose clock may get ahead of that of the first controller, which ignores backups from the future.
    other.clock.suspend('11m');
    await until(() => two.texts.size === 1);
    app.clock.suspend('70m');
    await turns();
    assert.equal(one.texts.size, 1);
  });
});

test('without any for two intervals, the health warns; and a store that hangs lets the controller close', async () => {
  const hangs = (): Promise<void> => new Promise(() => undefined);
  const app = await openApp('memory', { backups: { store: { save: hangs, list: async () => [], delete: hangs }, everyHours: 1 } });
  app.clock.suspend('119m');
  assert.deepEqual(await warnings(app), []);
  app.clock.suspend('2m');
  assert.deepEqual(await warnings(app), ['no backup was taken for more than 2 hours: there is none yet']);
  await app.close();
});

test('options that are none, or out of range, are refused with what would be right', async () => {
  const { backups: store } = kept();
  const refused = (backups: unknown, sentence: RegExp) =>
    assert.rejects(ManagementController.open({ storage: memoryStorage(), backups: backups as BackupOptions }), sentence);
  await refused({ store, everyHours: 0 }, /everyHours must be a whole number from 1 to 168, got 0/);
  await refused({ store, keep: 1.5 }, /keep must be a whole number from 1 to 10000, got 1\.5/);
  await refused({ store, keepForDays: 'x' }, /keepForDays must be a whole number from 1 to 36500, got x/);
  await refused({ store, every: 1 }, /no option 'every': did you mean 'everyHours'\?/);
  await refused({ store: { save: () => undefined } }, /requires a store with the method list/);
});
