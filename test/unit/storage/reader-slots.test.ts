import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Priority } from '../../../src/store/storage/port.ts';
import { ReaderSlot, ReaderSlots } from '../../../src/store/storage/reader-slots.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A reader that waits for a slot. */
const reader = (slots: ReaderSlots, priority: Priority | undefined, signal?: AbortSignal) => {
  const state = { isAdmitted: false, priority };
  const slot = new ReaderSlot(slots, { priority: () => state.priority, signal });
  const acquired = Promise.resolve(slot.acquire()).then(() => {
    state.isAdmitted = true;
  });
  return Object.assign(state, {
    acquired,
    release: () => slot.release(),
    becomes: (priority: Priority) => {
      state.priority = priority;
      return slot.mayContinue();
    },
  });
};
const admitted = async (...readers: readonly { isAdmitted: boolean }[]) => {
  await turn();
  return readers.map(({ isAdmitted }) => isAdmitted);
};

describe('slots of readers', () => {
  test('ordinary readers wait for one another, in order, and reserved ones for nobody', async () => {
    const slots = new ReaderSlots(1);
    const [first, second, third, reserved] = [
      reader(slots, 'ordinary'),
      reader(slots, 'ordinary'),
      reader(slots, 'ordinary'),
      reader(slots, 'reserved'),
    ];
    assert.deepEqual(await admitted(first, second, third, reserved), [true, false, false, true]);
    first.release();
    first.release();
    assert.deepEqual(await admitted(second, third), [true, false], 'a slot that is given back twice counts once');
    second.release();
    assert.deepEqual(await admitted(third), [true]);
  });

  test('callers that are not known wait for no ordinary reader, and have one slot more together', async () => {
    const slots = new ReaderSlots(1);
    const ordinary = reader(slots, 'ordinary');
    const [first, second] = [reader(slots, undefined), reader(slots, undefined)];
    assert.deepEqual(await admitted(ordinary, first, second), [true, true, false]);
    first.release();
    assert.deepEqual(await admitted(second), [true]);
  });

  test('a caller that turns out to be ordinary continues where a slot is free, and has none to spare otherwise', async () => {
    const slots = new ReaderSlots(1);
    const ordinary = reader(slots, 'ordinary');
    const [first, second] = [reader(slots, undefined), reader(slots, undefined)];
    await turn();
    assert.equal(first.becomes('ordinary'), false);
    first.release();
    await turn();
    ordinary.release();
    assert.equal(second.becomes('ordinary'), true);
    assert.deepEqual(await admitted(reader(slots, undefined), reader(slots, undefined), reader(slots, 'ordinary')), [true, false, false]);
  });

  test('a caller that turns out to be an administrator gives its slot to the next', async () => {
    const slots = new ReaderSlots(1);
    const first = reader(slots, undefined);
    const waiting = reader(slots, 'ordinary');
    assert.deepEqual(await admitted(first, waiting), [true, false]);
    assert.equal(first.becomes('reserved'), true);
    assert.deepEqual(await admitted(waiting), [true]);
    first.release();
    assert.deepEqual(await admitted(reader(slots, 'ordinary')), [false], 'it had none any more');
  });

  test('a reader that gives up while it waits takes no slot', async () => {
    const slots = new ReaderSlots(1);
    const first = reader(slots, 'ordinary');
    const gone = new AbortController();
    const given = assert.rejects(reader(slots, 'ordinary', gone.signal).acquired, RangeError);
    const next = reader(slots, 'ordinary');
    gone.abort(new RangeError('given up'));
    await given;
    first.release();
    assert.deepEqual(await admitted(next), [true]);
  });
});
