import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observe, ObservedEvent } from '../../../src/runtime/observability/events.ts';
import { Observation } from '../../../src/runtime/observability/observation.ts';
import { createObserver } from '../../../src/runtime/observability/observer.ts';
import { frozenClock } from '../../support/clock.ts';

const open = (observe: Observe | readonly Observe[]) => {
  const clock = frozenClock();
  const log: string[] = [];
  const logger = { error: (message: string) => void log.push(message), warn: assert.fail, info: assert.fail };
  const observer = createObserver(observe, { clock, logger });
  assert.ok(observer);
  const begin = () => new Observation(observer, { requestId: 'r', transport: 'http', method: 'GET', remoteAddress: '192.0.2.1' });
  return { clock, log, observer, begin };
};

const recording = () => {
  const events: ObservedEvent[] = [];
  return { events, ...open((event) => void events.push(event)) };
};

describe('observers', () => {
  test('nobody who observes costs nothing: there is no observer', () => {
    const platform = { clock: frozenClock(), logger: { error: assert.fail, warn: assert.fail, info: assert.fail } };
    assert.equal(createObserver(undefined, platform), undefined);
    assert.equal(createObserver([], platform), undefined);
  });

  test('one that throws or rejects is logged, once in ten seconds, and the others are called all the same', async () => {
    let told = 0;
    const rejecting = async () => Promise.reject(new Error('later'));
    const throwing = () => {
      throw new Error('at once');
    };
    const { begin, log, clock } = open([rejecting, throwing, () => void told++]);
    for (let i = 0; i < 100; i++) begin().end(200);
    await Promise.resolve();
    assert.equal(told, 100);
    assert.deepEqual(log, ['an observer threw an error; the observed call was not affected']);
    clock.advance('11s');
    begin().end(200);
    assert.equal(log.length, 2);
  });

  test('a logger that throws, too, harms no call', () => {
    let asked = 0;
    const fail = () => {
      asked++;
      throw new Error('broken');
    };
    const observer = createObserver(fail, { clock: frozenClock(), logger: { error: fail, warn: fail, info: fail } });
    observer?.report({
      type: 'authorization',
      outcome: 'denied',
      requestId: 'r',
      remoteAddress: '',
      identityId: undefined,
      operationId: 'x',
      actor: 'identity',
    });
    assert.equal(asked, 2, 'the observer, and the logger that is told');
  });

  test('of a flood of security events of one kind a hundred in ten seconds are reported, and the next says how many were not', () => {
    const { events, begin, clock } = recording();
    const fail = () => begin().authentication('password', 'failed');
    for (let i = 0; i < 250; i++) fail();
    assert.equal(events.length, 100);
    begin().authentication('password', 'succeeded', 'ann');
    assert.equal(events.length, 101, 'those of another outcome are not held back by it');
    clock.advance('10s');
    fail();
    fail();
    assert.deepEqual(
      events.slice(101).map((event) => 'omitted' in event && event.omitted),
      [150, 0],
    );
  });

  test('durations and waits are those of the clock, waits that overlap count once, and one that never ended until the end', () => {
    const { events, begin, clock } = recording();
    const observation = begin();
    clock.advance('5ms');
    const first = observation.wait();
    clock.advance('10ms');
    const second = observation.wait();
    clock.advance('10ms');
    first();
    first();
    clock.advance('10ms');
    second();
    clock.advance('100ms');
    observation.wait();
    clock.advance('7ms');
    observation.end(429);
    const [event] = events;
    assert.ok(event?.type === 'operation');
    assert.deepEqual([event.durationMs, event.queuedMs], [142, 37]);
  });

  test('a method that HTTP does not know does not become a label', () => {
    const { events, observer } = recording();
    new Observation(observer, { requestId: 'r', transport: 'http', method: 'PROPFIND-123', remoteAddress: '' }).end(405);
    assert.ok(events[0]?.type === 'operation');
    assert.equal(events[0].method, '_OTHER');
  });
});
