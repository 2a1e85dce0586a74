import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTrafficHistory, HISTORY_MINUTES } from '../../../src/runtime/presence/traffic-history.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-30T10:00:00Z');
const at = (minute: number) => START + minute * MINUTE;
const load = (sent: number) => ({ received: 2 * sent, sent, circuits: 1 });

describe('the history of routers', () => {
  test('has a point per minute, and none where nothing was recorded', () => {
    const { routers } = createTrafficHistory(10);
    for (const minute of [0, 1, 3]) routers.record('r', at(minute), load(minute));
    const read = routers.read('r', { end: at(4), minutes: 5, points: 5 });
    assert.deepEqual(read?.sent, [0, 1, null, 3, null]);
    assert.deepEqual(read?.received, [0, 2, null, 6, null]);
    assert.equal(routers.read('other', { end: at(4), minutes: 5, points: 5 }), undefined);
  });

  test('is averaged over the values that there are', () => {
    const { routers } = createTrafficHistory(10);
    routers.record('r', at(0), load(10));
    routers.record('r', at(1), { ...load(20), received: Number.NaN });
    routers.record('r', at(3), load(30));
    const read = routers.read('r', { end: at(3), minutes: 4, points: 2 });
    assert.deepEqual(
      [read?.sent, read?.received],
      [
        [15, 30],
        [20, 60],
      ],
    );
  });

  test('is the last one for each minute of the day before, whatever was recorded when', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ after: fc.oneof(fc.nat(3), fc.nat(2000)), sent: fc.nat(1000) }), { minLength: 1, maxLength: 200 }),
        fc.nat(2000),
        (steps, later) => {
          const { routers } = createTrafficHistory(1);
          const expected = new Map<number, number>();
          let minute = 0;
          for (const { after, sent } of steps) {
            minute += after;
            routers.record('r', at(minute), load(sent));
            expected.set(minute, sent);
          }
          const end = minute + later;
          const read = routers.read('r', { end: at(end), minutes: HISTORY_MINUTES, points: HISTORY_MINUTES });
          // What is older than a day before the last point is overwritten, or may be.
          const wanted = Array.from({ length: HISTORY_MINUTES }, (_, i) => expected.get(end - HISTORY_MINUTES + 1 + i) ?? null);
          assert.deepEqual(read?.sent, wanted);
        },
      ),
    );
  });

  test('is bounded: what has been gone for the longest time gives way, and what is there stays', () => {
    const { links } = createTrafficHistory(3);
    const values = { bytes: 1, latency: 1, circuits: 0, cost: 1 };
    const record = (minute: number, ...ids: readonly string[]) => {
      for (const id of ids) links.record(id, at(minute), values);
    };
    record(0, 'a', 'b', 'c');
    record(1, 'b', 'c');
    record(2, 'c', 'd');
    assert.deepEqual(links.ids().toSorted(), ['b', 'c', 'd']);
    record(3, 'b', 'c', 'd', 'e');
    assert.deepEqual(links.ids().toSorted(), ['b', 'c', 'd']);
    record(3 + HISTORY_MINUTES, 'e');
    assert.deepEqual(links.ids(), ['e']);
  });

  test('overwrites nothing while a clock is set back', () => {
    const { routers } = createTrafficHistory(1);
    routers.record('r', at(10), load(1));
    routers.record('r', at(5), load(2));
    assert.deepEqual(routers.read('r', { end: at(10), minutes: 6, points: 6 })?.sent, [null, null, null, null, null, 1]);
  });
});
