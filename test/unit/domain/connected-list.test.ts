import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ConnectedList, createConnectedList } from '../../../src/fabric/connections/connection-rows.ts';
import { createConnections } from '../../../src/runtime/presence/connections.ts';
import { frozenClock } from '../../support/clock.ts';

const STATE = { versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' }, syncStatus: 'SYNC_HELLO', reached: undefined };

const revisions = ({ parts }: ConnectedList) => parts.map(({ revision }) => revision);

const begin = () => {
  const connections = createConnections(frozenClock(), 1000);
  const list = createConnectedList();
  const noted: boolean[] = [];
  connections.onChange((routerId, connection) => void noted.push(list.update(routerId, connection)));
  const connect = (number: number) => connections.open({ id: `r${number}`, enrolledBy: `e${number}` }, STATE);
  const sizes = () => list.parts.map((part) => part.connections.size);
  return { list, noted, connect, sizes };
};

describe('the list of connected routers, in parts', () => {
  test('a part has 64 routers at most, and a change concerns one part only', () => {
    const { list, connect, sizes } = begin();
    const all = Array.from({ length: 130 }, (_, i) => connect(i));
    assert.deepEqual(sizes(), [64, 64, 2]);
    const before = revisions(list);
    all[70]?.update({ syncStatus: 'SYNC_DONE' });
    assert.deepEqual(
      revisions(list).map((revision, place) => revision > (before[place] ?? 0)),
      [false, true, false],
    );
    assert.equal(new Set(revisions(list)).size, 3);
  });

  test('a router that comes takes the place of one that went', () => {
    const { list, connect, sizes } = begin();
    const all = Array.from({ length: 130 }, (_, i) => connect(i));
    const before = revisions(list);
    all[3]?.close('lost');
    connect(1000);
    assert.deepEqual(sizes(), [64, 64, 2]);
    assert.deepEqual(
      revisions(list).map((revision, place) => revision > (before[place] ?? 0)),
      [true, false, false],
    );
  });

  test('without routers it is empty, and no revision comes again afterwards', () => {
    const { list, connect } = begin();
    const first = connect(1);
    const [revision = 0] = revisions(list);
    first.close('lost');
    assert.deepEqual(revisions(list), []);
    connect(1);
    assert.ok((revisions(list)[0] ?? 0) > revision);
  });

  test('it is bounded: routers beyond are left out, and come in when others go', () => {
    const { list, noted, connect, sizes } = begin();
    const all = Array.from({ length: 64 * 256 }, (_, i) => connect(i));
    assert.ok(noted.every(Boolean));
    const beyond = connect(20_000);
    assert.equal(noted.at(-1), false);
    beyond.close('lost');
    assert.equal(noted.at(-1), true);
    all[0]?.close('lost');
    connect(20_001);
    assert.equal(noted.at(-1), true);
    assert.deepEqual([list.parts.length, sizes().every((size) => size === 64)], [256, true]);
  });
});
