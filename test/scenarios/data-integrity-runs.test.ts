import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lease } from '../../src/contract/api/leases.ts';
import { proves } from '../specification.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { falsify, integrityEnd, integrityRun, integrityState } from '../support/integrity.ts';
import { interleaved } from '../support/interleaving.ts';
import { assertRefused } from '../support/refusals.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';

onEveryStore('runs of the integrity check', (open, store) => {
  test('one run at a time, on all controllers of a network, whoever asks and for what', proves(236, 287, 288, 467), async () => {
    await using shared = newSharedStorage(store);
    const { promise: going, resolve: go } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
    const save = async () => {
      wait();
      await going;
    };
    await using first = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await using second = await openApp(store, { storage: shared.adapter() });
    assert.equal((await first.request('POST', '/database/fix-data-integrity')).status, 202);
    await waiting;
    for (const app of [first, second]) {
      for (const what of ['check', 'fix']) {
        const refused = await app.request('POST', `/database/${what}-data-integrity`);
        assertRefused(refused, 429, 'RATE_LIMITED');
        assert.ok(Number(refused.headers['retry-after']) > 0);
      }
      const { inProgress, fixingErrors, startTime, endTime } = await integrityState(app);
      assert.deepEqual([inProgress, fixingErrors, typeof startTime, endTime], [true, true, 'string', null]);
    }
    go();
    await integrityEnd(second);
    assert.equal((await integrityRun(second, 'check')).error, null);
  });

  test('a check is in progress until its end is written, and fixes nothing', proves(287), async () => {
    const interleaving = interleaved(newStorage(store));
    await using app = await open({ storage: interleaving.storage });
    const fixing = new Set<boolean>();
    const look = async () => {
      const { inProgress, fixingErrors } = await integrityState(app);
      if (inProgress) fixing.add(fixingErrors);
      interleaving.beforeWrite(look);
    };
    interleaving.beforeWrite(look);
    assert.equal((await integrityRun(app, 'check')).fixingErrors, false);
    assert.deepEqual([...fixing], [false]);
  });

  test('of many that start at once one is taken', proves(457, 467, 471), async () => {
    await using app = await open();
    const kinds = ['check', 'fix', 'check', 'fix', 'check', 'fix'];
    const answers = await Promise.all(kinds.map((kind) => app.request('POST', `/database/${kind}-data-integrity`)));
    assert.ok(answers.some(({ status }) => status === 202));
    for (const answer of answers) if (answer.status !== 202) assertRefused(answer, 429, 'RATE_LIMITED');
    await integrityEnd(app);
  });

  test('a controller that is lost in a run holds it for a minute, and then another may', proves(287), async () => {
    await using app = await open();
    await integrityRun(app, 'check');
    const now = app.clock.now();
    const heldUntil = new Date(now + 60_000).toISOString();
    await falsify(app, 'maintenanceTask', 'data-integrity', { endedAt: null });
    await app.inStore('write', (entities) =>
      entities.insert(lease, { id: 'data-integrity', holder: 'a lost controller', until: heldUntil, told: null }),
    );
    assert.equal((await integrityState(app)).inProgress, true);
    assertRefused(await app.request('POST', '/database/check-data-integrity'), 429, 'RATE_LIMITED');
    app.clock.advance('60s');
    const { inProgress, error, endTime } = await integrityState(app);
    assert.deepEqual([inProgress, error, endTime], [false, 'the controller that ran it was lost before the end', heldUntil]);
    assert.equal((await integrityRun(app, 'check')).error, null);
  });

  test('closing a controller ends its run, which says so', proves(287), async () => {
    await using shared = newSharedStorage(store);
    const { promise: waiting, resolve: wait } = Promise.withResolvers<void>();
    const save = async (_: string, parts: AsyncIterable<string>) => {
      wait();
      for await (const _part of parts);
    };
    const first = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await first.request('POST', '/database/fix-data-integrity');
    await waiting;
    await first.close();
    await using second = await openApp(store, { storage: shared.adapter() });
    const { inProgress, error, endTime } = await integrityState(second);
    assert.deepEqual([inProgress, error, typeof endTime], [false, 'the controller was closed', 'string']);
    assert.equal((await integrityRun(second, 'check')).error, null);
  });

  test('maintenance is refused inside of a transaction of the host, with which it would wait for itself', async () => {
    await using app = await open();
    const { database } = app.controller.api;
    for (const start of [database.checkIntegrity, database.fixIntegrity, database.createSnapshot])
      await assert.rejects(start({}, { transaction: {} }), TypeError);
    assert.equal((await integrityState(app)).startTime, null);
  });
});
