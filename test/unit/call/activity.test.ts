import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { createActivity } from '../../../src/call/activity.ts';
import { createBackground } from '../../../src/jobs/background.ts';
import { webPlatform } from '../../../src/platform/web.ts';
import { storageSchema } from '../../../src/storage/schema.ts';

const [BEFORE, NOTED] = ['2026-11-21T10:00:00.000Z', '2026-11-21T10:29:59.000Z'];

test('a session that was read before its activity was written is seen with it afterwards', async () => {
  const store = await memoryStorage().open(storageSchema);
  const platform = webPlatform();
  const limits = { changesKept: 100, changeBytesKept: 1_000_000 };
  const noWrites = () => Promise.reject(new Error('activity is written in transactions of the store'));
  const background = createBackground(store, platform.clock, noWrites, {
    random: platform.random,
    stamp: () => new Date().toISOString(),
    ...limits,
  });
  const activity = createActivity(store, background, platform);
  const session = { id: 'a', lastActivityAt: BEFORE };
  assert.deepEqual(activity.current(session), session);
  activity.note('a', NOTED);
  await background.close(); // which waits until it is written
  assert.deepEqual(activity.current(session), { id: 'a', lastActivityAt: NOTED });
  const later = { id: 'a', lastActivityAt: '2026-11-21T10:30:30.000Z' };
  assert.deepEqual(activity.current(later), later, 'another controller wrote a later one');
  await store.close();
});
