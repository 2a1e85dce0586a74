/** Requests of one router to be quiesced and no longer to be, at the same time: over two connections, or at two controllers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRow } from '../../../src/call/resources/merge.ts';
import { router } from '../../../src/contract/api/routers.ts';
import { terminator } from '../../../src/contract/api/terminators.ts';
import { setQuiesced } from '../../../src/fabric/hosted-terminators/quiescence.ts';
import { createAddressRate } from '../../../src/runtime/platform/request-rate.ts';
import { frozenClock } from '../../support/clock.ts';
import { newSharedStorage, stores } from '../../support/stores.ts';
import { openWorker } from '../../support/workers.ts';

for (const name of stores)
  test(`the last of two requests decides about all terminators (${name})`, async () => {
    await using shared = newSharedStorage(name);
    await using worker = await openWorker(shared, frozenClock());
    const { background, platform } = worker;
    const given = { fabric: { core: { background } }, rate: createAddressRate(platform.clock, 1e9) };
    const job = await worker.job();
    await job.write(async (entities) => {
      await entities.insert(router, newRow(router, { name: 'fra' }, { id: 'fra' }));
      for (let i = 0; i < 100; i++) {
        const given = { service: 's', router: 'fra', binding: 'edge', address: `t${i}` };
        await entities.insert(terminator, newRow(terminator, given, { serviceId: 's', routerId: 'fra', precedence: 'default' }));
      }
    });
    await Promise.all([setQuiesced(given, 'fra', true), setQuiesced(given, 'fra', false)]);
    const [row, terminators] = await job.read(async (entities) => [
      await entities.require(router, 'fra'),
      await entities.list(terminator, { where: { op: 'all' } }),
    ]);
    const expected = row.isQuiesced ? 'failed' : 'default';
    assert.deepEqual(new Set(terminators.map(({ precedence }) => precedence)), new Set([expected]));
  });
