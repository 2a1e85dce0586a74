import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { type Settling, settledStore } from '../../../src/store/entities/settled-store.ts';
import { GrantHasEnded } from '../../../src/store/read-cache/earliest-ends.ts';
import { RowIncomplete } from '../../../src/store/read-cache/incomplete-rows.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';

/** A store in which some work is refused, and what is done about it. */
const settled = async (given: Partial<Settling> = {}) => {
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const settling: Settling = {
    settle: note('settle'),
    settledRows: async () => {
      throw new GrantHasEnded();
    },
    complete: note('complete'),
    completedRows: async () => new Map(),
    completeWithin: async (_, work) => {
      done.push('complete within');
      return work();
    },
    ...given,
  };
  const store = settledStore(await memoryStorage().open(storageSchema), settling, { wasUnavailable: false });
  return { store, done, [Symbol.asyncDispose]: () => store.close() };
};

for (const mode of ['read', 'write'] as const) {
  test(`a ${mode} that finds another ended grant each time is refused after twenty attempts`, async () => {
    await using ground = await settled();
    let attempts = 0;
    const work = async () => {
      if (++attempts > 50) throw new TypeError('endless');
      throw new GrantHasEnded();
    };
    await assert.rejects(ground.store.transaction(mode, work), { code: 'SERVER_UNAVAILABLE' });
    assert.deepEqual([attempts, ground.done.length], [20, 19]);
  });

  test(`a ${mode} that finds incomplete rows leaves them to others twice, and is refused after twenty attempts`, async () => {
    await using ground = await settled();
    let attempts = 0;
    const work = async () => {
      if (++attempts > 50) throw new TypeError('endless');
      throw new RowIncomplete();
    };
    await assert.rejects(ground.store.transaction(mode, work), { code: 'SERVER_UNAVAILABLE' });
    const within = ground.done.filter((what) => what === 'complete within').length;
    assert.deepEqual([attempts, within], [20, mode === 'write' ? 18 : 0]);
  });

  test(`a ${mode} of a caller that has gone is not tried again`, async () => {
    for (const error of [new GrantHasEnded(), new RowIncomplete()]) {
      await using ground = await settled();
      const caller = new AbortController();
      const work = async () => {
        caller.abort(new Error('gone'));
        throw error;
      };
      await assert.rejects(ground.store.transaction(mode, work, { signal: caller.signal }), /gone/);
      assert.deepEqual(ground.done, []);
    }
  });
}
