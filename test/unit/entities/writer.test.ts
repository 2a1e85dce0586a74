import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { newRow } from '../../../src/call/resources/merge.ts';
import { service } from '../../../src/contract/api/kinds.ts';
import { ALL } from '../../../src/query/index.ts';
import { createSemaphore } from '../../../src/runtime/concurrency/semaphore.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { createListeners } from '../../../src/store/changelog/listeners.ts';
import { createPublisher } from '../../../src/store/changelog/publisher.ts';
import { createWriter } from '../../../src/store/entities/writer.ts';
import { createReadCache } from '../../../src/store/read-cache/read-cache.ts';
import { StoreUnavailable, WriteConflict } from '../../../src/store/storage/errors.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';

/** A writer with one permit. @param failures thrown by the store in place of a commit, one after another */
const writing = async (...failures: readonly Error[]) => {
  const { random, logger, clock } = webPlatform();
  const inner = await memoryStorage().open(storageSchema);
  let transactions = 0;
  const transaction: Store['transaction'] = (mode, work, options) =>
    inner.transaction(
      mode,
      async (tx) => {
        const result = await work(tx);
        const failure = mode === 'write' ? failures[transactions++] : undefined;
        if (failure) throw failure;
        return result;
      },
      options,
    );
  const store: Store = { transaction, join: (host) => inner.join(host), close: () => inner.close() };
  const publisher = await createPublisher(store, createListeners(logger), logger);
  const permits = createSemaphore(1);
  const write = createWriter({
    store,
    cache: createReadCache(0),
    publisher,
    semaphore: permits,
    hooks: {
      aroundWrite: async (entities, work) => ({ result: await work(entities), isUnfinished: false }),
      afterCommit: () => undefined,
    },
  });
  const stamp = () => new Date(clock.now()).toISOString();
  const context = { actor: 'system', requestId: 'test', random, stamp, changesKept: 100, changeBytesKept: 1_000_000 };
  let runs = 0;
  /** Inserts a service. */
  const insert = (caller = new AbortController(), during: () => void = () => undefined) =>
    write(context, caller.signal, async (entities) => {
      runs++;
      const row = await entities.insert(service, newRow(service, { name: 's', encryptionRequired: true }, {}));
      during();
      return row;
    });
  return {
    permits,
    insert,
    counts: async () => [runs, await inner.transaction('read', (tx) => tx.count('service', ALL))],
    [Symbol.asyncDispose]: () => inner.close(),
  };
};

test('a caller that gives up while its write waits for a permit leaves the queue, and its work never runs', async () => {
  await using ground = await writing();
  const { permits, insert, counts } = ground;
  const held = permits.tryAcquire();
  const caller = new AbortController();
  const written = insert(caller);
  assert.equal(permits.waiting, 1);
  caller.abort(new Error('gone'));
  await assert.rejects(written, /gone/);
  assert.equal(permits.waiting, 0);
  held?.();
  assert.deepEqual([permits.running, await counts()], [0, [0, 0]]);
});

test('a caller that gives up while its work runs has written nothing, and the work does not run again', async () => {
  for (const failures of [[], [new WriteConflict()]]) {
    await using ground = await writing(...failures);
    const caller = new AbortController();
    await assert.rejects(
      ground.insert(caller, () => caller.abort(new Error('gone'))),
      /gone/,
    );
    assert.deepEqual(await ground.counts(), [1, 0]);
  }
});

test('a write runs again once, after a conflict alone', async () => {
  for (const [failures, expected] of [
    [[new WriteConflict()], [2, 1]],
    [
      [new WriteConflict(), new WriteConflict()],
      [2, 0],
    ],
    [[new StoreUnavailable('away')], [1, 0]],
  ] as const) {
    await using ground = await writing(...failures);
    await ground.insert().catch((error: unknown) => assert.ok(failures.includes(error as never)));
    assert.deepEqual(await ground.counts(), expected);
  }
});
