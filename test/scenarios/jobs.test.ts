import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { identityType } from '../../src/contract/api/identity-types.ts';
import type { Job } from '../../src/store/jobs/background.ts';
import { advance, ChangesMissing, openCursor, readFrom } from '../../src/store/jobs/cursor.ts';
import { acquireLease, LeaseLost } from '../../src/store/jobs/lease.ts';
import { type Run, schedule } from '../../src/store/jobs/schedule.ts';
import { frozenClock } from '../support/clock.ts';
import { newSharedStorage, stores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { MINUTE, openWorker, type Worker } from '../support/workers.ts';

const addType = (name: string) => (entities: Parameters<Parameters<Job['write']>[0]>[0]) => entities.insert(identityType, { name });
const typeNames = async (job: Pick<Job, 'read'>) =>
  (await job.read((entities) => entities.list(identityType, { where: { op: 'all' } }))).map(({ name }) => name).toSorted();

/** Until nothing is done that the time has called for. */
const quiet = async (...workers: readonly Worker[]): Promise<void> => {
  for (let turns = 0; turns < 5; turns++) {
    await setTimeout(1);
    if (workers.some(({ running }) => running() > 0)) turns = 0;
  }
};

const revisionsOf = async (job: Pick<Job, 'read'>, cursor: string): Promise<readonly number[]> => {
  const revisions: number[] = [];
  for await (const changes of readFrom(job, cursor)) revisions.push(...changes.map(({ revision }) => revision));
  return revisions;
};

for (const store of stores)
  describe(`jobs of several controllers (${store})`, () => {
    const ground = async (changesKept?: number) => {
      const shared = newSharedStorage(store);
      const clock = frozenClock();
      const [first, second] = [await openWorker(shared, clock, changesKept), await openWorker(shared, clock, changesKept)];
      const end = async () => {
        for (const each of [first, second, shared]) await each[Symbol.asyncDispose]();
      };
      return { shared, clock, first, second, [Symbol.asyncDispose]: end };
    };

    test('of several that want a lease at once exactly one gets it', async () => {
      await using all = await ground();
      const { first, second } = all;
      const got = await Promise.all([first, second, first, second].map((worker) => worker.acquire('a')));
      assert.equal(got.filter((lease) => lease !== undefined).length, 1);
      assert.ok(await second.acquire('b'), 'another lease is free');
    });

    test('a lease that is released is free at once, after the last write of its holder', async () => {
      await using all = await ground();
      const { first, second } = all;
      const lease = await first.acquire('a');
      await lease?.release(addType('last'));
      assert.ok(await second.acquire('a'));
      assert.deepEqual(await typeNames(await second.job()), ['last']);
    });

    test('a holder that works for longer than its lease renews it', async () => {
      await using all = await ground();
      const { clock, first, second } = all;
      const lease = await first.acquire('a');
      const heldUntil = async () => (await acquireLease(await second.job(), second.platform, 'a', MINUTE)).heldUntil;
      for (let beat = 0; beat < 6; beat++) {
        clock.advance('20s');
        const renewed = new Date(clock.now() + MINUTE).toISOString();
        await until(async () => (await heldUntil()) === renewed);
      }
      assert.equal(lease?.signal.aborted, false);
    });

    test('of a controller that is lost another takes over when the lease has expired, and not before', async () => {
      await using all = await ground();
      const { clock, first, second } = all;
      assert.ok(await first.acquire('a'));
      await first.lose();
      clock.advance('59999ms');
      assert.equal(await second.acquire('a'), undefined);
      clock.advance('1ms');
      assert.ok(await second.acquire('a'));
    });

    test('a write that comes after the lease was taken over is refused, and its holder learns of it', async () => {
      await using shared = newSharedStorage(store);
      // A clock that is an hour ahead takes the lease from a holder that is alive.
      const [slow, ahead] = [frozenClock(), frozenClock('2026-11-21T11:00:00.000Z')];
      await using first = await openWorker(shared, slow);
      await using second = await openWorker(shared, ahead);
      const lease = await first.acquire('a');
      assert.ok(lease);
      await lease.write(addType('in time'));
      const next = await second.acquire('a');
      await assert.rejects(lease.write(addType('late')), LeaseLost);
      assert.ok(lease.signal.reason instanceof LeaseLost);
      await assert.rejects(lease.release(addType('very late')), LeaseLost);
      await next?.write(addType('of the other'));
      assert.deepEqual(await typeNames(next ?? lease), ['in time', 'of the other']);
    });

    test('a holder that renews in vain learns that it has lost its lease', async () => {
      await using shared = newSharedStorage(store);
      const [slow, ahead] = [frozenClock(), frozenClock('2026-11-21T11:00:00.000Z')];
      await using first = await openWorker(shared, slow);
      await using second = await openWorker(shared, ahead);
      const lease = await first.acquire('a');
      assert.ok(await second.acquire('a'));
      assert.equal(lease?.signal.aborted, false);
      slow.advance('20s');
      await until(() => lease?.signal.aborted === true);
    });

    test('a schedule by one has one run of all controllers each time that it is due', async () => {
      await using all = await ground();
      const { clock, first, second } = all;
      const runs: number[] = [];
      const plan = { name: 'tidy', every: 10 * MINUTE, by: 'one' } as const;
      const work = async (run: Run) => {
        runs.push(clock.now());
        await run.write(addType(`run ${runs.length}`));
      };
      schedule(first.background, first.platform, plan, work);
      schedule(second.background, second.platform, plan, work);
      for (let minute = 0; minute <= 40; minute++) {
        await quiet(first, second);
        clock.advance('1m');
      }
      assert.equal(runs.length, 5);
      const pauses = runs.slice(1).map((at, i) => at - (runs[i] ?? 0));
      assert.deepEqual(pauses, Array(4).fill(10 * MINUTE));
    });

    test('a run that the end of its controller cuts short is due at once on another', async () => {
      await using all = await ground();
      const { clock, first, second } = all;
      const plan = { name: 'tidy', every: 10 * MINUTE, by: 'one' } as const;
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      schedule(first.background, first.platform, plan, async (run) => {
        begin();
        await new Promise<void>((end) => run.signal.addEventListener('abort', () => end()));
      });
      await begun;
      await first.background.close();
      let runs = 0;
      schedule(second.background, second.platform, plan, async () => void runs++);
      await until(() => runs === 1);
      assert.equal(clock.now(), frozenClock().now(), 'no time has gone by');
    });

    test('a schedule by each runs on every controller, and continues after a run that failed', async () => {
      await using all = await ground();
      const { clock, first, second } = all;
      const runs = { first: 0, second: 0 };
      const plan = { name: 'look', every: MINUTE, by: 'each' } as const;
      schedule(first.background, first.platform, plan, async () => {
        runs.first++;
        throw new Error('not this time');
      });
      schedule(second.background, second.platform, plan, async () => void runs.second++);
      await until(() => runs.first === 1 && runs.second === 1);
      await until(() => {
        clock.advance('1m');
        return runs.first >= 3 && runs.second >= 3;
      });
      assert.match(first.log[0] ?? '', /a scheduled run failed.*look.*not this time/);
      assert.throws(() => schedule(first.background, first.platform, { ...plan, every: 2 ** 31 }, async () => undefined), RangeError);
    });

    test('a consumer reads all changes in order, page by page, and each again until it has advanced', async () => {
      await using all = await ground();
      const job = await all.first.job();
      await job.write(addType('before'));
      await job.write((entities) => openCursor(entities, 'new ones', 'next'));
      await job.write((entities) => openCursor(entities, 'all', 'oldest'));
      for (const name of ['a', 'b', 'c']) await job.write(addType(name));
      const read = async (cursor: string, size?: number) => {
        const pages: unknown[][] = [];
        for await (const changes of readFrom(job, cursor, size))
          pages.push(changes.map((change) => (change.entity === 'identityType' ? change.after?.name : undefined)));
        return pages;
      };
      assert.deepEqual(await read('new ones', 2), [['a', 'b'], ['c']]);
      assert.deepEqual(await read('new ones', 2), [['a', 'b'], ['c']], 'at least once');
      assert.deepEqual(await read('all'), [['before', 'a', 'b', 'c']]);
      await assert.rejects(read('unknown'), { code: 'NOT_FOUND' });
    });

    test('a cursor continues where it stopped after a restart, and has moved only if the transaction of its effect was committed', async () => {
      await using all = await ground();
      const { first, second } = all;
      const job = await first.job();
      await job.write((entities) => openCursor(entities, 'mirror', 'oldest'));
      for (const name of ['a', 'b', 'c']) await job.write(addType(name));
      await job.write((entities) => advance(entities, 'mirror', 1));
      await assert.rejects(
        job.write(async (entities) => {
          await advance(entities, 'mirror', 3);
          throw new Error('the effect failed');
        }),
        /the effect failed/,
      );
      await first.lose();
      const next = await second.job();
      await next.write((entities) => openCursor(entities, 'mirror', 'next'));
      const revisions = () => revisionsOf(next, 'mirror');
      assert.deepEqual(await revisions(), [2, 3]);
      await next.write((entities) => advance(entities, 'mirror', 3));
      await next.write((entities) => advance(entities, 'mirror', 2));
      assert.deepEqual(await revisions(), [], 'a cursor never goes back');
    });

    test('a consumer learns which changes left the log before it read them, and may continue behind them', async () => {
      await using all = await ground(3);
      const job = await all.first.job();
      await job.write((entities) => openCursor(entities, 'mirror', 'oldest'));
      for (let i = 1; i <= 10; i++) await job.write(addType(`type ${i}`));
      const read = () => revisionsOf(job, 'mirror');
      await assert.rejects(read(), (error: unknown) => {
        assert.ok(error instanceof ChangesMissing);
        assert.deepEqual([error.cursor, error.from, error.to], ['mirror', 1, 7]);
        return true;
      });
      await assert.rejects(read(), ChangesMissing, 'it stays so until the consumer has dealt with it');
      await job.write((entities) => advance(entities, 'mirror', 7));
      assert.deepEqual(await read(), [8, 9, 10]);
    });
  });
