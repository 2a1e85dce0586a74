import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createConnectedList } from '../../../src/domain/fabric/connections/connected-list.ts';
import { createConnections } from '../../../src/presence/connections.ts';
import { frozenClock } from '../../support/clock.ts';

const STATE = { versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' }, syncStatus: 'SYNC_HELLO', reached: undefined };

const begin = () => {
  const connections = createConnections(frozenClock(), 1000);
  const list = createConnectedList();
  const noted: boolean[] = [];
  connections.onChange((routerId, connection) => void noted.push(list.note(routerId, connection)));
  const connect = (number: number) => connections.open({ id: `r${number}`, enrolledBy: `e${number}` }, STATE);
  const sizes = () => list.parts.map((part) => part.connections.size);
  return { list, noted, connect, sizes };
};

describe('the list of connected routers, in parts', () => {
  test('a part has 64 routers at most, and a change concerns one part only', () => {
    const { list, connect, sizes } = begin();
    const all = Array.from({ length: 130 }, (_, i) => connect(i));
    assert.deepEqual(sizes(), [64, 64, 2]);
    assert.deepEqual(list.takeChanged(), [0, 1, 2]);
    assert.equal(list.hasChanged, false);
    const before = list.parts.map(({ revision }) => revision);
    all[70]?.change({ syncStatus: 'SYNC_DONE' });
    all[70]?.change({ syncStatus: 'SYNC_ERROR' });
    assert.deepEqual(list.takeChanged(), [1]);
    assert.deepEqual(
      list.parts.map(({ revision }, place) => revision > (before[place] ?? 0)),
      [false, true, false],
    );
  });

  test('a router that comes takes the place of one that went', () => {
    const { list, connect, sizes } = begin();
    const all = Array.from({ length: 130 }, (_, i) => connect(i));
    list.takeChanged();
    all[3]?.end('lost');
    connect(1000);
    assert.deepEqual(sizes(), [64, 64, 2]);
    assert.deepEqual(list.takeChanged(), [0]);
  });

  test('what was not written is due again', () => {
    const { list, connect } = begin();
    connect(1);
    list.giveBack(list.takeChanged());
    assert.deepEqual([list.hasChanged, list.takeChanged()], [true, [0]]);
  });

  test('without routers it is empty, and no revision comes again afterwards', () => {
    const { list, connect } = begin();
    const first = connect(1);
    const revision = list.parts[0]?.revision ?? 0;
    assert.equal(list.isEmpty, false);
    first.end('lost');
    assert.deepEqual([list.isEmpty, list.parts.length], [true, 0]);
    connect(1);
    assert.ok((list.parts[0]?.revision ?? 0) > revision);
  });

  test('it is bounded: routers beyond are left out, and come in when others go', () => {
    const { list, noted, connect, sizes } = begin();
    const all = Array.from({ length: 64 * 256 }, (_, i) => connect(i));
    assert.ok(noted.every(Boolean));
    const beyond = connect(20_000);
    assert.equal(noted.at(-1), false);
    beyond.end('lost');
    assert.equal(noted.at(-1), true);
    all[0]?.end('lost');
    connect(20_001);
    assert.equal(noted.at(-1), true);
    assert.deepEqual([list.parts.length, sizes().every((size) => size === 64)], [256, true]);
  });
});
