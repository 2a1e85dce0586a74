import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleLogger } from '../../../src/runtime/platform/logger.ts';

const logged = (details?: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  consoleLogger(() => Date.UTC(2024, 0, 1), { error: note, warn: note, info: note }).warn('it happened', details);
  assert.equal(lines.length, 1);
  assert.ok(!lines[0]?.includes('\n'));
  return JSON.parse(lines[0] ?? '');
};

test('a line is one JSON object with time, level, message and details', () => {
  assert.deepEqual(logged({ requestId: 'r1', count: 2 }), {
    time: '2024-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'it happened',
    requestId: 'r1',
    count: 2,
  });
  assert.deepEqual(logged(), { time: '2024-01-01T00:00:00.000Z', level: 'warn', message: 'it happened' });
});

test('details cannot pass for the message', () => {
  assert.equal(logged({ message: 'nothing happened', level: 'info' }).message, 'it happened');
});

test('secrets are hidden at every depth', () => {
  const details = {
    password: 'x',
    idToken: 'x',
    'zt-session-token': 'x',
    privateKeyPem: 'x',
    headers: { Authorization: 'x', cookie: 'x' },
    list: [{ clientSecret: 'x' }],
    key: 'x',
    keys: 3,
  };
  const { time: _, level: __, message: ___, ...shown } = logged(details);
  assert.deepEqual(shown, {
    password: '***',
    idToken: '***',
    'zt-session-token': '***',
    privateKeyPem: '***',
    headers: { Authorization: '***', cookie: '***' },
    list: [{ clientSecret: '***' }],
    key: '***',
    keys: 3,
  });
});

test('bytes are counted, not shown', () => {
  assert.equal(logged({ salt: new Uint8Array(16) }).salt, '16 bytes');
});

test('errors are shown with their causes', () => {
  const error = new TypeError('outer', { cause: new Error('inner') });
  const shown = logged({ error }).error as { name: string; message: string; stack: string; cause: { message: string } };
  assert.deepEqual([shown.name, shown.message, shown.cause.message], ['TypeError', 'outer', 'inner']);
  assert.match(shown.stack, /console-logger\.test/);
});

test('a value that is not JSON does no harm', () => {
  const round: Record<string, unknown> = {};
  round.round = round;
  logged({ round, big: 1n, f: () => 1, symbol: Symbol('s'), date: new Date(Number.NaN), nothing: undefined, not: Number.NaN });
  assert.equal(
    logged({
      get bad() {
        throw new Error('no');
      },
    }).details,
    'unreadable',
  );
  assert.ok(String(logged({ long: 'x'.repeat(100_000) }).long).length < 5000);
});
