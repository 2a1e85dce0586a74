import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AdmissionLimits, createAdmission } from '../../../adapters/http/admission.ts';
import type { Place } from '../../../adapters/http/lane.ts';
import type { Client, Standing } from '../../../adapters/http/standings.ts';

/** An admission with a clock and turns of the event loop that only the test moves. */
const start = (limits?: AdmissionLimits) => {
  let [now, computations, bodies] = [0, 0, 0];
  let tasks: (() => void)[] = [];
  let timers: { readonly at: number; readonly task: () => void }[] = [];
  const admission = createAdmission(limits, {
    now: () => now,
    onNextTurn: (task) => void tasks.push(task),
    after: (milliseconds, task) => void timers.push({ at: now + milliseconds, task }),
    computations: () => computations,
    pending: () => computations + bodies,
  });
  const started: string[] = [];
  const refused: string[] = [];
  const places = new Map<string, Place>();
  const settle = (name: string, place: Place | undefined, work: number) => {
    if (!place) return refused.push(name);
    places.set(name, place);
    now += work;
    return started.push(name);
  };
  /** A request. Its work takes some time, after which it is in progress until `leave`. */
  const enter = (name: string, client: Client, work = 0): void => {
    const admitted = admission.enter(client);
    if (admitted instanceof Promise) void admitted.then((place) => settle(name, place, work));
    else settle(name, admitted, work);
  };
  const microtasks = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Ends a turn of the event loop. */
  const turn = async (milliseconds = 0): Promise<void> => {
    now += milliseconds;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { task } of due) task();
    const current = tasks;
    tasks = [];
    for (const task of current) {
      task();
      await microtasks();
    }
  };
  return {
    started,
    refused,
    enter,
    turn,
    leave: (name: string) => places.get(name)?.leave(),
    place: (name: string) => places.get(name),
    compute: (number: number) => {
      computations = number;
    },
    parse: (number: number) => {
      bodies = number;
    },
    load: (standing: Standing) => admission.load()[standing],
    /** True if the admission waits for nothing. */
    isQuiet: () => tasks.length === 0 && timers.length === 0,
  };
};

const newcomer = (origin = 'a'): Client => ({ standing: 'newcomer', origin });
const identity = (origin = 'a'): Client => ({ standing: 'identity', origin });
const administrator = (origin = 'a'): Client => ({ standing: 'administrator', origin });

describe('requests start', () => {
  test('at once, as long as those of the same turn have taken little time', () => {
    const { enter, started } = start();
    for (let i = 0; i < 5; i++) enter(`${i}`, identity(), 1);
    assert.deepEqual(started, ['0', '1', '2', '3', '4']);
  });

  test('otherwise one in each later turn, in order', async () => {
    const { enter, started, turn } = start();
    enter('long', identity(), 10);
    for (const name of ['x', 'y']) enter(name, identity(), 10);
    assert.deepEqual(started, ['long']);
    await turn();
    assert.deepEqual(started, ['long', 'x']);
    await turn();
    assert.deepEqual(started, ['long', 'x', 'y']);
  });

  test('not while long computations wait to continue, but those of administrators earlier', async () => {
    const { enter, started, turn, compute } = start();
    enter('identity', identity());
    enter('administrator', administrator());
    compute(5);
    enter('another identity', identity());
    enter('another administrator', administrator());
    assert.deepEqual(started, ['identity', 'administrator', 'another administrator']);
    await turn();
    compute(0);
    await turn();
    assert.deepEqual(started.slice(3), ['another identity']);
  });

  test('even with many long computations, if they are the only one of their standing', () => {
    const { enter, started, compute } = start();
    compute(100);
    enter('probe', newcomer());
    enter('another', newcomer());
    assert.deepEqual(started, ['probe']);
  });

  test('while bodies of one stranger wait until they are parsed, but no further ones of the same', async () => {
    const { enter, started, turn, parse } = start();
    enter('flood', newcomer('flood'));
    enter('report', administrator('root'));
    parse(100);
    for (let i = 0; i < 3; i++) enter(`flood ${i}`, newcomer('flood'));
    enter('probe', newcomer('probe'));
    enter('administrator', administrator('root'));
    enter('identity', identity());
    for (let i = 0; i < 5; i++) await turn();
    assert.deepEqual(started.toSorted(), ['administrator', 'flood', 'identity', 'probe', 'report']);
    parse(0);
    await turn();
    assert.ok(started.includes('flood 0'));
  });

  test('once another has left, if all places are taken', async () => {
    const { enter, started, turn, leave } = start({ maxConcurrent: 1 });
    enter('first', newcomer());
    enter('second', newcomer());
    await turn();
    assert.deepEqual(started, ['first']);
    leave('first');
    await turn();
    assert.deepEqual(started, ['first', 'second']);
  });

  test('while many others of identities wait for something else', async () => {
    const { enter, started, turn } = start();
    for (let i = 0; i < 101; i++) enter(`${i}`, identity());
    assert.equal(started.length, 100);
    await turn(499);
    assert.equal(started.length, 100);
    await turn(50);
    await turn();
    assert.equal(started.length, 101);
  });

  test('while many others continue whose bodies arrived together', async () => {
    const { enter, started, place, turn } = start();
    const enterAll = (from: number) => {
      for (let i = from; i < from + 100; i++) enter(`${i}`, identity());
    };
    enterAll(0);
    for (let i = 0; i < 100; i++) place(`${i}`)?.suspend();
    enterAll(100);
    await turn(490);
    for (let i = 0; i < 100; i++) assert.ok(place(`${i}`)?.resume());
    await turn(11);
    enter('last', identity());
    assert.equal(started.length, 200);
    await turn(489);
    await turn(50);
    await turn();
    assert.equal(started.length, 201);
  });
});

describe('a place', () => {
  test('is not taken while a body is incomplete', () => {
    const { enter, started, place } = start({ maxConcurrent: 1 });
    enter('slow', newcomer());
    place('slow')?.suspend();
    enter('other', newcomer());
    assert.deepEqual(started, ['slow', 'other']);
    assert.equal(place('slow')?.resume(), false);
  });

  test('is not taken by a body that arrives after its request has been answered', () => {
    const { enter, place, load } = start();
    enter('late', newcomer());
    place('late')?.suspend();
    place('late')?.leave();
    assert.equal(place('late')?.resume(), false);
    assert.equal(load('newcomer').running, 0);
  });

  test('is left once, however often this is said', () => {
    const { enter, leave, load } = start();
    for (const name of ['a', 'b']) enter(name, newcomer());
    for (let i = 0; i < 3; i++) leave('a');
    assert.equal(load('newcomer').running, 1);
  });
});

describe('a flood', () => {
  test('of newcomers keeps neither administrators nor identities waiting', async () => {
    const { enter, started, turn } = start();
    enter('long', newcomer(), 10);
    for (let i = 0; i < 500; i++) enter(`newcomer ${i}`, newcomer(`${i}`), 10);
    enter('administrator', administrator(), 10);
    enter('identity', identity(), 10);
    for (let i = 0; i < 4; i++) await turn();
    assert.ok(started.includes('administrator'));
    assert.ok(started.includes('identity'));
  });

  test('of all clients still lets newcomers start', async () => {
    const { enter, started, turn } = start();
    enter('long', newcomer(), 10);
    for (let i = 0; i < 20; i++) for (const client of [administrator(), identity(), newcomer()]) enter(client.standing, client, 10);
    for (let i = 0; i < 10; i++) await turn();
    assert.deepEqual(Object.groupBy(started.slice(1), (name) => name).newcomer?.length, 2);
  });

  test('of one client keeps no other of the same standing waiting', async () => {
    const { enter, started, turn } = start();
    enter('long', identity(), 10);
    for (let i = 0; i < 500; i++) enter(`flood ${i}`, identity('flood'), 10);
    enter('other', identity('other'), 10);
    await turn();
    await turn();
    assert.deepEqual(started, ['long', 'flood 0', 'other']);
  });
});

describe('requests are refused', () => {
  test('at once if the queue is full: the newest of the client with the most', async () => {
    const { enter, refused, turn } = start({ maxQueued: 3 });
    enter('long', identity(), 10);
    for (const name of ['x', 'y', 'z']) enter(name, identity('flood'));
    enter('other', identity('other'));
    await turn();
    assert.deepEqual(refused, ['z']);
    enter('more', identity('flood'));
    enter('and more', identity('flood'));
    await turn();
    assert.deepEqual(refused, ['z', 'and more']);
  });

  test('after the time limit in a rush, even if nothing else happens', async () => {
    const { enter, refused, turn, load } = start({ maxConcurrent: 1, maxQueueMs: 600 });
    enter('first', newcomer());
    for (let i = 0; i < 20; i++) enter(`${i}`, newcomer());
    await turn(599);
    assert.deepEqual(refused, []);
    await turn(50);
    assert.deepEqual(refused, ['0', '1', '2', '3']);
    assert.deepEqual(load('newcomer'), { running: 1, waiting: 16, refused: 4 });
  });

  test('later where only a few wait, as on a slow machine', async () => {
    const { enter, refused, turn } = start({ maxConcurrent: 1, maxQueueMs: 600 });
    enter('first', newcomer());
    for (let i = 0; i < 16; i++) enter(`${i}`, newcomer());
    await turn(2999);
    assert.deepEqual(refused, []);
    await turn(50);
    assert.equal(refused.length, 16);
  });

  test('sooner once there have been requests waiting for as long as the limit', async () => {
    const { enter, started, refused, turn, load } = start({ maxQueueMs: 600 });
    enter('first', identity(), 10);
    for (let i = 0; i < 200; i++) {
      for (let n = 0; n < 2; n++) enter(`${i} ${n}`, identity(), 10);
      await turn();
    }
    // Twice as many come as can start, one in 10 ms.
    const before = refused.length;
    for (let i = 0; i < 100; i++) {
      for (let n = 0; n < 2; n++) enter(`${i} ${n}`, identity(), 10);
      await turn();
    }
    assert.equal(refused.length - before, 100);
    assert.ok(load('identity').waiting <= 16, 'no more than may always wait');
    assert.ok(started.length > 280);
  });

  test('no longer once the overload is over, and nothing is kept', async () => {
    const { enter, started, refused, turn, load, isQuiet } = start({ maxQueueMs: 600 });
    enter('first', identity(), 10);
    for (let i = 0; i < 200; i++) {
      for (let n = 0; n < 2; n++) enter(`${i} ${n}`, identity(), 10);
      await turn();
    }
    for (let i = 0; i < 20; i++) await turn(50);
    assert.equal(load('identity').waiting, 0);
    assert.ok(isQuiet());
    const [startedBefore, refusedBefore] = [started.length, refused.length];
    for (let i = 0; i < 50; i++) enter(`again ${i}`, identity(), 10);
    for (let i = 0; i < 50; i++) await turn();
    assert.deepEqual([started.length - startedBefore, refused.length - refusedBefore], [50, 0]);
  });
});
