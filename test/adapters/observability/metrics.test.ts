import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counter, formatExposition, gauge, histogram } from '../../../adapters/observability/exposition.ts';
import { createMetrics } from '../../../adapters/observability/metrics.ts';
import { software } from '../../../src/adapter-kit.ts';
import { StoreUnavailable } from '../../../src/index.ts';
import { openApp } from '../../support/app.ts';
import { readExposition, valueIn } from '../../support/exposition.ts';

test('every form of the text is read back as it was: escapes, infinities, cumulative buckets', () => {
  const strange = 'a "quoted" back\\slash\nand a line, {braces}=';
  const count = counter('a_total', 'Help with a back\\slash\nand a line.');
  count.add({ strange });
  count.add({ strange }, 2.5);
  const times = histogram('b_seconds', 'Times.', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 1, 7]) times.record({ of: 'x' }, value);
  times.record({}, 0.2);
  const now = gauge('c', 'Now.', [
    [{ is: 'large' }, Number.POSITIVE_INFINITY],
    [{ is: 'small' }, Number.NEGATIVE_INFINITY],
    [{ is: 'none' }, Number.NaN],
    [{ is: 'tiny' }, 1e-9],
  ]);
  const families = readExposition(formatExposition([count, times, now, counter('unused_total', 'Nothing yet.')]));
  assert.equal(valueIn(families, 'a_total', { strange }), 3.5);
  assert.equal(families.get('a_total')?.help, 'Help with a back\\\\slash\\nand a line.');
  const buckets = ['0.1', '1', '+Inf'].map((le) => valueIn(families, 'b_seconds_bucket', { of: 'x', le }));
  assert.deepEqual(buckets, [2, 4, 5]);
  assert.deepEqual([valueIn(families, 'b_seconds_sum', { of: 'x' }), valueIn(families, 'b_seconds_count', { of: 'x' })], [8.65, 5]);
  assert.deepEqual(
    ['large', 'small', 'none', 'tiny'].map((is) => valueIn(families, 'c', { is })),
    [Infinity, -Infinity, Number.NaN, 1e-9],
  );
  assert.ok(!families.has('unused_total'));
});

test('metrics show what a controller did, and what there is, without a path, an id or a name', async () => {
  const metrics = createMetrics();
  await using app = await openApp('memory', { observe: metrics.observe });
  const ann = await app.user();
  const token = await ann.login();
  await app.request('GET', `/identities/${ann.id}`);
  await app.request('GET', `/identities/${ann.id}`, { as: token });
  await app.request('GET', '/secret-path');
  await app.login(ann.username, 'wrong-password');
  await app.controller.api.identities.list({});
  const text = await metrics.text(app.controller);
  const families = readExposition(text);
  const value = (name: string, labels: Readonly<Record<string, string>> = {}) => valueIn(families, `overlay_controller_${name}`, labels);

  const http = { transport: 'http', method: 'GET' };
  assert.equal(value('requests_total', { ...http, operation: 'detailIdentity', status: '2xx', code: '' }), 1);
  assert.equal(value('requests_total', { ...http, operation: 'detailIdentity', status: '4xx', code: 'UNAUTHORIZED' }), 1);
  assert.equal(value('requests_total', { ...http, operation: 'unmatched', status: '4xx', code: 'NOT_FOUND' }), 1);
  assert.ok((value('requests_total', { transport: 'process', operation: 'listIdentities' }) ?? 0) > 0);
  assert.equal(value('request_duration_seconds_count', { operation: 'detailIdentity' }), 2);
  assert.ok((value('store_statements_total', { operation: 'detailIdentity' }) ?? 0) > 0);
  assert.ok((value('store_rows_total', { operation: 'detailIdentity' }) ?? 0) > 0);
  assert.equal(value('authentications_total', { method: 'password', outcome: 'failed', reason: 'credentials' }), 1);
  assert.equal(value('authorizations_denied_total', { operation: 'detailIdentity' }), 1);
  assert.equal(value('entities', { kind: 'identity' }), 2);
  assert.equal(value('entities', { kind: 'apiSession' }), 2);
  assert.equal(value('queue_waiting', { queue: 'writes' }), 0);
  assert.equal(value('healthy'), 1);
  assert.ok((value('event_loop_utilization_ratio') ?? -1) >= 0);
  assert.ok(value('event_loop_delay_p99_seconds') !== undefined);
  for (const secret of [ann.id, ann.username, token, 'secret-path']) assert.ok(!text.includes(secret), secret);
});

test('a process of its own also tells its memory, processor time and descriptors', async () => {
  const own = readExposition(await createMetrics({ process: true }).text());
  for (const name of ['process_resident_memory_bytes', 'process_heap_bytes', 'process_cpu_seconds_total', 'process_open_fds'])
    assert.ok((valueIn(own, name) ?? 0) > 0, name);
  assert.ok((valueIn(own, 'process_max_fds') ?? 0) > (valueIn(own, 'process_open_fds') ?? 0));
  assert.ok(Math.abs((valueIn(own, 'process_start_time_seconds') ?? 0) - (Date.now() / 1000 - process.uptime())) < 5);
  assert.equal(valueIn(own, 'overlay_controller_build_info', { version: software.version }), 1);
  const ofLibrary = readExposition(await createMetrics().text());
  assert.ok(![...ofLibrary.keys()].some((name) => name.startsWith('process_')));
});

test('whatever clients send, the number of series does not grow', async () => {
  const metrics = createMetrics();
  await using app = await openApp('memory', { observe: metrics.observe });
  const seriesAfter = async (round: number) => {
    for (let i = 0; i < 20; i++) {
      const mark = `${round}-${i}`;
      await app.request('GET', `/identities/${mark}`);
      await app.request('GET', `/nowhere/${mark}`);
      await app.request(`M${mark}`, `/identities`);
      await app.request('GET', `/identities?filter=${mark}`);
      await app.login(`user ${mark}`, 'wrong-password');
    }
    const families = readExposition(await metrics.text());
    return [...families.values()].filter(({ name }) => !name.includes('event_loop')).reduce((sum, { samples }) => sum + samples.length, 0);
  };
  assert.equal(await seriesAfter(1), await seriesAfter(2));
});

test('while the database is away, metrics that do not need it are reported', async () => {
  const metrics = createMetrics();
  const away = {
    health: async () => ({
      isHealthy: false,
      store: 'away' as const,
      reasons: [{ concerns: 'database' as const, severity: 'error' as const, message: 'away' }],
    }),
    statistics: async () => Promise.reject(new StoreUnavailable('away')),
  };
  const families = readExposition(await metrics.text(away));
  assert.equal(valueIn(families, 'overlay_controller_healthy'), 0);
  assert.equal(valueIn(families, 'overlay_controller_health_reasons', { concerns: 'database', severity: 'error' }), 1);
  assert.ok(!families.has('overlay_controller_entities'));
});
