import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { createActivity } from '../../../src/call/activity.ts';
import { apiSession } from '../../../src/contract/api/api-sessions.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { createBackground } from '../../../src/store/jobs/background.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';

const [BEFORE, NOTED] = ['2026-11-21T10:00:00.000Z', '2026-11-21T10:29:59.000Z'];

const opened = async () => {
  const store = await memoryStorage().open(storageSchema);
  const platform = webPlatform();
  const limits = { changesKept: 100, changeBytesKept: 1_000_000 };
  const noWrites = () => Promise.reject(new Error('activity is written in transactions of the store'));
  const common = { random: platform.random, stamp: () => new Date().toISOString(), ...limits };
  const background = createBackground({ store, clock: platform.clock, write: noWrites, common });
  return { store, background, activity: createActivity(store, background, platform) };
};

test('a session that was read before its activity was written is seen with it afterwards', async () => {
  const { store, background, activity } = await opened();
  const session = { id: 'a', lastActivityAt: BEFORE };
  assert.deepEqual(activity.current(session), session);
  activity.note('a', NOTED);
  await background.close(); // which waits until it is written
  assert.deepEqual(activity.current(session), { id: 'a', lastActivityAt: NOTED });
  const later = { id: 'a', lastActivityAt: '2026-11-21T10:30:30.000Z' };
  assert.deepEqual(activity.current(later), later, 'another controller wrote a later one');
  await store.close();
});

test('a later activity that another controller wrote down is not set back', async () => {
  const { store, background, activity } = await opened();
  const row = (id: string, lastActivityAt: string | null) => ({
    ...{ id, version: 1, createdAt: BEFORE, updatedAt: BEFORE, tags: {} },
    lastActivityAt,
  });
  await store.transaction('write', async (tx) => {
    for (const each of [row('earlier', BEFORE), row('later', '2026-11-21T10:30:30.000Z'), row('never', null)])
      await tx.insert(apiSession.kind, each);
  });
  for (const id of ['earlier', 'later', 'never', 'ended']) activity.note(id, NOTED);
  await background.close(); // which waits until it is written
  const written = await store.transaction('read', (tx) => tx.list(apiSession.kind, { where: { op: 'all' } }));
  assert.deepEqual(
    written.map(({ id, lastActivityAt }) => [id, lastActivityAt]),
    [
      ['earlier', NOTED],
      ['later', '2026-11-21T10:30:30.000Z'],
      ['never', NOTED],
    ],
  );
  await store.close();
});
