import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBacklog } from '../../../adapters/events/backlog.ts';

interface Message {
  readonly name: string;
  readonly size: number;
}

const message = (name: string, size = 1): Message => ({ name, size });

const opened = (limits: { readonly events: number; readonly bytes: number }) => {
  const full: number[] = [];
  const backlog = createBacklog<Message>(
    limits,
    (missed) => message(`gap of ${missed}`),
    () => full.push(backlog.length),
  );
  const add = (...names: readonly string[]) => {
    for (const name of names) backlog.add(message(name));
  };
  const takeAll = () => {
    const taken: Message[] = [];
    for (let next = backlog.take(); next; next = backlog.take()) taken.push(next);
    return taken;
  };
  return { backlog, add, takeAll, full };
};

const namesOf = (messages: readonly Message[]) => messages.map(({ name }) => name);

describe('messages that wait for a broker', () => {
  test('are sent in order, and again in order if they were not delivered', () => {
    const { backlog, add, takeAll } = opened({ events: 10, bytes: 100 });
    add('a', 'b', 'c', 'd');
    const [a, b] = [backlog.take(), backlog.take()];
    assert.ok(a && b);
    backlog.delivered(b);
    assert.deepEqual([backlog.onTheWay, backlog.length], [1, 3]);
    backlog.takeBack();
    add('e');
    assert.deepEqual(namesOf(takeAll()), ['a', 'c', 'd', 'e']);
  });

  test('are limited in number, also while they are on their way, and a gap says how many were missed', () => {
    const { backlog, add, takeAll, full } = opened({ events: 4, bytes: 100 });
    add('a', 'b');
    const sent = takeAll();
    add('c', 'd', 'e', 'f');
    assert.deepEqual([backlog.length, full], [4, [4]]);
    for (const each of sent.slice(0, 1)) backlog.delivered(each);
    add('g');
    for (const each of sent) backlog.delivered(each);
    add('h');
    assert.deepEqual(namesOf(takeAll()), ['c', 'd', 'gap of 3', 'h']);
    assert.deepEqual(full, [4]);
  });

  test('are limited in bytes: a message that is too large is missed alone', () => {
    const { backlog, add, takeAll } = opened({ events: 10, bytes: 10 });
    add('a');
    backlog.add(message('large', 11));
    add('b');
    assert.deepEqual(namesOf(takeAll()), ['a', 'gap of 1', 'b']);
  });

  test('never become more, however long the broker is away', () => {
    const { backlog, takeAll } = opened({ events: 100, bytes: 1000 });
    for (let round = 0; round < 50; round++) {
      for (let i = 0; i < 100; i++) backlog.add(message(`${i}`, 20));
      takeAll();
      backlog.takeBack();
      assert.ok(backlog.length <= 50);
    }
  });
});
