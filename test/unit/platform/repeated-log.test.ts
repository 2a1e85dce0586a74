import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRepeatedLog } from '../../../src/runtime/platform/repeated-log.ts';
import { frozenClock } from '../../support/clock.ts';

test('what comes again within ten seconds is counted, each message, or each key of one, for itself', () => {
  const clock = frozenClock();
  const said: unknown[] = [];
  const at = (level: string) => (message: string, details?: object) => said.push([level, message, details]);
  const log = createRepeatedLog({ clock, logger: { error: at('error'), warn: at('warn'), info: at('info') } });
  for (const n of [1, 2, 3]) log('warn', 'away', { n });
  log('error', 'gone', { n: 4 });
  clock.advance('9999ms');
  log('warn', 'away', { n: 5 });
  clock.advance('1ms');
  log('warn', 'away', { n: 6 });
  clock.advance('10s');
  log('warn', 'away', { n: 7 });
  for (const key of ['a', 'b', 'a']) log('warn', 'away', { key }, key);
  assert.deepEqual(said, [
    ['warn', 'away', { n: 1 }],
    ['error', 'gone', { n: 4 }],
    ['warn', 'away', { n: 6, failedSince: 3 }],
    ['warn', 'away', { n: 7 }],
    ['warn', 'away', { key: 'a' }],
    ['warn', 'away', { key: 'b' }],
  ]);
});
