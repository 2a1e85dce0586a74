import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import type { BackupStore } from '../../src/index.ts';
import { type App, openApp } from '../support/app.ts';
import { frozenClock } from '../support/clock.ts';
import { until } from '../support/until.ts';

/** Backups in memory. */
const kept = () => {
  const names = new Set<string>();
  const store: BackupStore = {
    save: async (name, parts) => {
      for await (const _ of parts);
      names.add(name);
    },
    list: async () => [...names],
    delete: async (name) => void names.delete(name),
  };
  return { names, store };
};

const ofYear = (names: ReadonlySet<string>, year: string) => [...names].filter((name) => name.startsWith(year));

/** Opens the same network at a time. */
const openAt = (storage: ReturnType<typeof memoryStorage>, at: string, store: BackupStore, options: object = {}): Promise<App> =>
  openApp('memory', { storage, platform: { clock: frozenClock(at) }, backups: { store, everyHours: 6, ...options } });

test('a clock that was years ahead stops no backups once it is right, and what it named displaces none', async () => {
  const { names, store } = kept();
  const storage = memoryStorage();
  const ahead = await openAt(storage, '2046-11-21T10:00:00.000Z', store, { keep: 1 });
  await until(() => ofYear(names, '2046').length === 1);
  await ahead.close();
  await using app = await openAt(storage, '2026-11-21T10:00:00.000Z', store, { keep: 1 });
  await until(() => ofYear(names, '2026').length === 1);
  await app.settled();
  assert.equal(ofYear(names, '2026').length, 1);
});

test('a clock that is years ahead makes all backups old, and few of them are deleted for it', async () => {
  const { names, store } = kept();
  for (let day = 1; day < 10; day++) names.add(`2026112${day}-000000-x`);
  await using app = await openAt(memoryStorage(), '2046-11-21T10:00:00.000Z', store, { keepForDays: 30 });
  await until(() => ofYear(names, '2046').length === 1);
  await app.settled();
  await until(() => names.size < 10);
  assert.deepEqual(
    ofYear(names, '2026'),
    [3, 4, 5, 6, 7, 8, 9].map((day) => `2026112${day}-000000-x`),
  );
});

test('a backup is good although an older one cannot be deleted, which is a warning of its own, and the others are', async () => {
  const { names, store } = kept();
  for (const day of [1, 2, 3]) names.add(`2026010${day}-000000-x`);
  const refusing: BackupStore = {
    ...store,
    delete: async (name) => {
      if (name.startsWith('20260103')) throw new Error('permission denied');
      await store.delete(name);
    },
  };
  await using app = await openAt(memoryStorage(), '2026-11-21T10:00:00.000Z', refusing, { keep: 1 });
  const warnings = async () =>
    (await app.controller.health()).reasons.filter(({ concerns }) => concerns === 'backups').map(({ message }) => message);
  await until(async () => (await warnings()).length > 0);
  assert.deepEqual(await warnings(), [
    'the backup at 2026-11-21T10:00:00.000Z is good, but older ones could not be deleted: permission denied',
  ]);
  assert.deepEqual(ofYear(names, '202601'), ['20260103-000000-x']);
});

for (const method of ['list', 'delete'] as const)
  test(`a store whose ${method} hangs lets the controller close`, async () => {
    const { names, store } = kept();
    names.add('20260101-000000-x');
    let isAsked = false;
    const hangs = (): Promise<never> => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const app = await openAt(memoryStorage(), '2026-11-21T10:00:00.000Z', { ...store, [method]: hangs }, { keep: 1 });
    await until(() => isAsked);
    await app.close();
  });

test('a snapshot that was taken while a clock was ahead forbids no later one', async () => {
  const storage = memoryStorage();
  const ahead = await openApp('memory', { storage, platform: { clock: frozenClock('2046-11-21T10:00:00.000Z') } });
  assert.equal((await ahead.request('POST', '/database/snapshot')).status, 200);
  await ahead.close();
  await using app = await openApp('memory', { storage, platform: { clock: frozenClock('2026-11-21T10:00:00.000Z') } });
  assert.equal((await app.request('POST', '/database/snapshot')).status, 200);
  assert.equal((await app.request('POST', '/database/snapshot')).status, 429);
});
