import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createExpectedRouters } from '../../../src/runtime/presence/expected-routers.ts';
import { frozenClock } from '../../support/clock.ts';

const begin = () => {
  const clock = frozenClock();
  const expected = createExpectedRouters(clock, () => undefined);
  const client = new AbortController();
  const wait = (isBack = () => false, limit = Infinity) => expected.wait(isBack, limit, client.signal);
  return { clock, expected, client, wait };
};

/** Resolves to undefined if a call is still waiting. */
const now = <T>(call: Promise<T>) => Promise.race([call, new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 0))]);

describe('the wait for routers', () => {
  test('ends when the client goes away, when the controller closes, and when routers are no longer accepted', async () => {
    for (const end of ['client', 'close', 'port'] as const) {
      const { expected, client, wait } = begin();
      const endPort = expected.accept();
      const call = wait();
      assert.equal(await now(call), undefined);
      ({ client: () => client.abort(), close: expected.close, port: endPort })[end]();
      assert.equal(await now(call), true);
      assert.equal(await now(wait()), false);
    }
  });

  test('ends after ten seconds, or at the limit of the call, also while the store fails or does not answer', async () => {
    for (const refresh of [() => Promise.reject(new Error('the store is unavailable')), () => new Promise<void>(() => undefined)]) {
      const clock = frozenClock();
      const expected = createExpectedRouters(clock, refresh);
      expected.accept();
      const wait = (limit: number) => expected.wait(() => false, limit, new AbortController().signal);
      const [long, short] = [wait(Infinity), wait(4000)];
      clock.advance('3900ms');
      assert.deepEqual([await now(long), await now(short)], [undefined, undefined]);
      clock.advance('200ms');
      assert.deepEqual([await now(long), await now(short)], [undefined, true]);
      clock.advance('5800ms');
      assert.equal(await now(long), undefined);
      clock.advance('200ms');
      assert.equal(await now(long), true);
    }
  });

  test('continues while another port accepts routers, however often one was closed', async () => {
    const { expected, wait } = begin();
    const [first, second] = [expected.accept(), expected.accept()];
    const call = wait();
    first();
    first();
    assert.deepEqual([expected.areExpected, await now(call)], [true, undefined]);
    second();
    assert.deepEqual([expected.areExpected, await now(call)], [false, true]);
  });

  test('has room for a thousand calls: others do not wait, until one has ended', async () => {
    const { expected, client, wait, clock } = begin();
    expected.accept();
    const others = Array.from({ length: 999 }, () => wait());
    let isBack = false;
    const one = wait(() => isBack);
    assert.equal(await now(wait()), false);
    isBack = true;
    clock.advance('250ms');
    assert.equal(await now(one), true);
    const next = wait();
    assert.equal(await now(next), undefined);
    client.abort();
    assert.deepEqual(new Set(await Promise.all([...others, next])), new Set([true]));
  });

  test('looks at nothing while nobody waits', async () => {
    const clock = frozenClock();
    let reads = 0;
    const expected = createExpectedRouters(clock, () => void reads++);
    expected.accept();
    clock.advance('1s');
    assert.equal(reads, 0);
    const client = new AbortController();
    const call = expected.wait(() => false, 1000, client.signal);
    clock.advance('500ms');
    client.abort();
    await call;
    const looked = reads;
    clock.advance('5s');
    assert.deepEqual([looked > 0, reads], [true, looked]);
  });
});
