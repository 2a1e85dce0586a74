import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { growthIn, type Held, SOAKED, soak } from '../support/soak.ts';

onEveryStore('a network that is used for hours', (open) => {
  test('keeps as many rows as before: of sessions, of changes, and of every other kind', async () => {
    await using app = await open({ settings: { ...SOAKED, changesKept: 200 } });
    const measurements = await soak(app, { minutes: 60, every: 5, rounds: 1 });
    assert.equal(measurements.length, 12);
    assert.deepEqual(
      growthIn(measurements).filter((what) => what.startsWith('rows')),
      [],
    );
    const { apiSession = 0, session = 0 } = measurements.at(-1)?.rows ?? {};
    assert.ok(apiSession > 1 && session > 1, 'sessions are in use');
  });
});

test('what grows is found: heap, handles and rows', () => {
  const at = (hour: number, grows: boolean): Held => ({
    heap: 100e6 + (grows ? hour * 5e6 : (hour % 2) * 1e6),
    handles: 3 + (grows ? hour : 0),
    rows: { session: 100 + (grows ? hour * 50 : hour % 3), service: 1 },
  });
  const during = (grows: boolean) => growthIn(Array.from({ length: 16 }, (_, hour) => at(hour, grows)));
  assert.deepEqual([during(false), during(true)], [[], ['heap', 'handles', 'rows of session']]);
});
