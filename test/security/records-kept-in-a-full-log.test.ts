/**
 * Which records a full change log keeps, and that its verification holds for what retention leaves: random writes of all classes against
 * what must be kept.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Settings } from '../../src/call/settings.ts';
import { type Change, changeId } from '../../src/contract/changes/events.ts';
import { DAY } from '../../src/runtime/platform/clock.ts';
import { hashOfRecord } from '../../src/store/changelog/chain.ts';
import { BY_SYSTEM, changeLog, type LogLimits } from '../../src/store/changelog/log.ts';
import type { Row, Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, onEveryStore, openApp, SECRET_KEY } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

interface Written {
  readonly isReserved: boolean;
  readonly bytes?: number;
}

interface Log extends AsyncDisposable {
  readonly app: App;
  /** When the next record is written, Unix time in ms: the clock of the controller stands still, so that it writes nothing itself. */
  now: number;
  /** Reaches the database without a controller. */
  raw<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

const openLog = async (name: string, settings: Partial<Settings> = {}): Promise<Log> => {
  const storage = newSharedStorage(name);
  const store = await storage.adapter().open(storageSchema);
  const adapter = storage.adapter();
  const app = await openApp(name, { storage: adapter, secretKey: adapter.secretKey ?? SECRET_KEY, settings });
  return {
    app,
    now: app.clock.now(),
    raw: (work) => store.transaction('write', work),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store.close();
      await storage[Symbol.asyncDispose]();
    },
  };
};

/** Appends a record as a write does. @returns its revision */
const append = ({ now, raw }: Log, { isReserved, bytes = 10 }: Written, limits: LogLimits): Promise<number> =>
  raw(async (tx) => {
    const revision = await tx.nextRevision();
    const named = { revision, entityId: `${revision}`, actor: 'a', requestId: 'r', onBehalfOf: null, reason: null };
    const at = new Date(now).toISOString();
    const after = { id: `${revision}`, name: 'x'.repeat(bytes) };
    // Only the size of the entity matters here.
    const change = { ...named, at, action: 'create', entity: 'service', before: null, after } as unknown as Change;
    await changeLog(tx, limits)(change, isReserved ? { ...BY_SYSTEM, isReserved } : BY_SYSTEM);
    return revision;
  });

/** Makes the last record one of the former release: without what that does not know. */
const asFormer = ({ raw }: Log, changesKept: number): Promise<void> =>
  raw(async (tx) => {
    const row = (await tx.list('change', { where: { op: 'all' } })).at(-1);
    assert.ok(row);
    const { isReserved: _isReserved, others: _others, reserve: _reserve, ...former } = row;
    await tx.update('change', { ...former, hash: hashOfRecord(former) }, row.version);
    // It drops a record of this number, whichever that is.
    await tx.delete('change', changeId(row.version - changesKept));
  });

const verified = async (app: App) => (await app.controller.api.audit.verify()).fault;
const isReserved = (row: Row) => row.isReserved === true;

const tampered = (rows: readonly Row[]): fc.Arbitrary<(tx: Transaction) => Promise<unknown>> =>
  fc
    .record({
      at: fc.nat(rows.length - 1),
      to: fc.nat(rows.length - 1),
      how: fc.constantFrom('change', 'delete', 'insert', 'plain', 'swap', 'flag'),
    })
    .map(({ at, to, how }) => async (tx: Transaction) => {
      const [row, other] = [rows[at], rows[to]];
      assert.ok(row && other);
      const rewrite = (changed: Row) => tx.update('change', { ...changed, hash: hashOfRecord(changed) }, changed.version);
      const free = rows.findLast(({ version }, i) => version > 1 && rows[i - 1]?.version !== version - 1 && i <= at)?.version;
      const place = free && { id: changeId(free - 1), version: free - 1, revision: free - 1 };
      if (how === 'change') return rewrite({ ...row, actor: 'other' });
      if (how === 'flag') return rewrite({ ...row, isReserved: !isReserved(row) });
      if (how === 'delete' || !place) return tx.delete('change', row.id);
      if (how === 'insert')
        return tx.insert('change', { ...row, ...place, isReserved: true, hash: hashOfRecord({ ...row, ...place, isReserved: true }) });
      if (how === 'plain') {
        const { hash: _hash, previousHash: _previous, endsAt: _endsAt, ...plain } = row;
        return tx.insert('change', { ...plain, ...place });
      }
      if (row === other) return tx.delete('change', row.id);
      await rewrite({ ...row, id: other.id, version: other.version, revision: other.revision ?? 0 } as Row);
      return rewrite({ ...other, id: row.id, version: row.version, revision: row.revision ?? 0 } as Row);
    });

describe('a full change log', () => {
  test('keeps what it must, and is verified, over random writes; any manipulation of a record is found', async () => {
    const step = fc.record({
      isReserved: fc.boolean(),
      bytes: fc.oneof({ weight: 5, arbitrary: fc.constant(10) }, fc.nat(3000)),
      days: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, fc.nat(20)),
      isFormer: fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.boolean()),
    });
    const share = fc.constantFrom(0, 0.1, 0.5, 0.9, 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 120 }),
        fc.record({
          share,
          former: fc.boolean(),
          changesKept: fc.integer({ min: 3, max: 30 }),
          changeBytesKept: fc.constantFrom(1e9, 9000),
        }),
        fc.gen(),
        async (steps, { share, former, ...limits }, gen) => {
          await using log = await openLog('memory');
          const { app, raw } = log;
          const written = new Map<number, { readonly isReserved: boolean; readonly at: number }>();
          let [before, hadFormer]: [readonly Row[], boolean] = [[], false];
          for (const [i, { days, isFormer, ...given }] of steps.entries()) {
            log.now += days * DAY;
            const reserved = share === 0.5 ? given.isReserved : (i * 7919) % 100 < share * 100;
            const revision = await append(log, { ...given, isReserved: reserved }, limits);
            written.set(revision, { isReserved: reserved, at: log.now });
            if (former && isFormer) {
              await asFormer(log, limits.changesKept);
              hadFormer = true;
            }
            const rows = await app.rows('change');
            assert.equal(await verified(app), null);
            if (!hadFormer) {
              assert.ok(rows.length <= limits.changesKept, `${rows.length} records`);
              const lost = before.filter((row) => isReserved(row) && !rows.some(({ id }) => id === row.id));
              const kept = rows.slice(0, -1).filter(isReserved).length;
              const young = lost.filter((row) => Date.parse(row.createdAt) > log.now - 30 * DAY);
              const others = rows.slice(0, -1).length - kept;
              if (young.length > 0 && limits.changeBytesKept === 1e9)
                assert.ok(
                  kept + 1 > limits.changesKept * 0.75 - 1 || others === 0,
                  `lost ${young.map(({ id }) => id)}: ${kept} kept, ${others} others`,
                );
            }
            before = rows;
          }
          if (hadFormer && before.at(-1)?.others === undefined) return;
          for (let times = 0; times < 4; times++) {
            const rows = await app.rows('change');
            const attack = gen(tampered, rows.slice(0, -1));
            await raw(attack);
            assert.notEqual(await verified(app), null, attack.toString());
            await raw(async (tx) => {
              for (const { id } of await tx.list('change', { where: { op: 'all' } })) await tx.delete('change', id);
              for (const row of rows) await tx.insert('change', row);
            });
            assert.equal(await verified(app), null);
          }
        },
      ),
      { numRuns: Number(process.env['LOG_RUNS'] ?? 15) },
    );
  });
});

onEveryStore('a full change log of two releases', (_open, store) => {
  test('is intact whichever of them wrote last, and ends within its limits', async () => {
    await using log = await openLog(store);
    const { app } = log;
    const limits = { changesKept: 20, changeBytesKept: 1e9 };
    const start = (await app.controller.api.audit.head()).revision;
    for (let i = 0; i < 40; i++) await append(log, { isReserved: i % 3 === 0 }, limits);
    assert.equal(await verified(app), null);
    for (let i = 0; i < 3; i++) {
      await append(log, { isReserved: false }, limits);
      await asFormer(log, limits.changesKept);
      assert.equal(await verified(app), null, `former ${i}`);
      const oldest = Number((await app.rows('change')).at(-1)?.oldest);
      await assert.rejects(app.controller.at(oldest - 2).services.list(), { code: 'CURSOR_EXPIRED' });
    }
    for (let i = 0; i < 20; i++) {
      await append(log, { isReserved: i % 3 === 0 }, limits);
      assert.equal(await verified(app), null, `then ${i}`);
    }
    assert.equal((await app.rows('change')).length, 20);
    assert.ok(start > 0);
  });

  test('keeps its last quarter free of what it reserves when its limit is lowered', async () => {
    await using log = await openLog(store);
    const { app } = log;
    const limits = { changesKept: 80, changeBytesKept: 1e9 };
    for (let i = 0; i < 160; i++) await append(log, { isReserved: i % 2 === 0 }, limits);
    for (let i = 0; i < 40; i++) await append(log, { isReserved: false }, limits);
    for (let i = 0; i < 20; i++) await append(log, { isReserved: false }, { ...limits, changesKept: 20 });
    const rows = await app.rows('change');
    assert.equal(rows.length, 20);
    assert.ok(rows.filter(isReserved).length <= 15);
    assert.equal(await verified(app), null);
    for (let i = 0; i < 60; i++) await append(log, { isReserved: i % 2 === 0 }, limits);
    assert.equal((await app.rows('change')).length, 80);
    assert.equal(await verified(app), null);
  });

  test('is intact where retention dropped the record before a checkpoint', async () => {
    await using log = await openLog(store, { changesKeptForDays: 40 });
    const { app } = log;
    const limits = { changesKept: 1000, changeBytesKept: 1e9 };
    for (let day = 0; day < 39; day++) app.clock.advance('1d');
    log.now = app.clock.now();
    await append(log, { isReserved: true }, limits);
    for (let i = 0; i < 5; i++) await append(log, { isReserved: false }, limits);
    const checkpoint = async () => (await app.rows('change')).findLast(({ entity }) => entity === 'logCheckpoint')?.version;
    // A job that is still running when its time comes again is skipped.
    await until(async () => {
      app.clock.advance('1h');
      return (await checkpoint()) !== undefined;
    });
    const version = Number(await checkpoint());
    const changesKept = (await app.rows('change')).length;
    while ((await app.rows('change')).some((row) => row.version === version - 1))
      await append(log, { isReserved: false }, { ...limits, changesKept });
    assert.equal(await checkpoint(), version);
    assert.equal(await verified(app), null);
  });
});
