import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { createSemaphore } from '../../../src/runtime/concurrency/semaphore.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { createRehearsal } from '../../../src/store/entities/writer.ts';
import { createReadCache } from '../../../src/store/read-cache/read-cache.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';

test('what a rehearsal gathered is evaluated after its transaction, while others write, and then another rehearsal begins', async () => {
  const { random, clock } = webPlatform();
  const store = await memoryStorage().open(storageSchema);
  const permits = { rehearsals: createSemaphore(1), writes: createSemaphore(1) };
  const rehearse = createRehearsal(store, createReadCache(0), permits, {
    aroundWrite: async (entities, work) => ({ result: await work(entities), isUnfinished: false }),
  });
  const stamp = () => new Date(clock.now()).toISOString();
  const context = { actor: 'system', requestId: 'test', random, stamp, changesKept: 1, changeBytesKept: 1 };
  const steps: string[] = [];
  const rehearsed = (name: string) =>
    rehearse(
      context,
      undefined,
      async () => name,
      async (_, result) => {
        steps.push(`${result} gathers`);
        return async () => {
          assert.equal(permits.writes.running, 0);
          // Would wait forever for the transaction of the rehearsal.
          await store.transaction('write', async () => void steps.push(`another writes beside ${result}`));
          return result;
        };
      },
    );
  assert.deepEqual(await Promise.all([rehearsed('one'), rehearsed('two')]), ['one', 'two']);
  assert.deepEqual(steps, ['one gathers', 'another writes beside one', 'two gathers', 'another writes beside two']);
  await store.close();
});
