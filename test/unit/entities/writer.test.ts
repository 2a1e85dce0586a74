import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { createListeners } from '../../../src/changelog/listeners.ts';
import { createPublisher } from '../../../src/changelog/publisher.ts';
import { createSemaphore } from '../../../src/concurrency/semaphore.ts';
import { createWriter } from '../../../src/entities/writer.ts';
import { webPlatform } from '../../../src/platform/web.ts';
import { createReadCache } from '../../../src/read-cache/read-cache.ts';
import { storageSchema } from '../../../src/storage/schema.ts';

test('a caller that gives up while its write waits for a permit leaves the queue, and its work never runs', async () => {
  const { random, logger, clock } = webPlatform();
  const store = await memoryStorage().open(storageSchema);
  const publisher = await createPublisher(store, createListeners(logger), logger);
  const permits = createSemaphore(1);
  const held = permits.tryAcquire();
  const write = createWriter(store, createReadCache(0), publisher, permits, {
    aroundWrite: async (entities, work) => ({ result: await work(entities), isUnfinished: false }),
    afterCommit: () => undefined,
  });
  const caller = new AbortController();
  const stamp = () => new Date(clock.now()).toISOString();
  const context = { actor: 'system', requestId: 'test', random, stamp, changesKept: 1, changeBytesKept: 1 };
  let hasRun = false;
  const written = write(context, caller.signal, async () => {
    hasRun = true;
  });
  assert.equal(permits.waiting, 1);
  caller.abort(new Error('gone'));
  await assert.rejects(written, /gone/);
  assert.equal(permits.waiting, 0);
  held?.();
  assert.deepEqual([permits.running, hasRun], [0, false]);
  await store.close();
});
