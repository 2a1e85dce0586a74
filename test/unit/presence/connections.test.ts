import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createConnections } from '../../../src/runtime/presence/connections.ts';
import { frozenClock } from '../../support/clock.ts';

const FIVE_MINUTES = 300_000;
const STATE = { versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' }, syncStatus: 'SYNC_HELLO', reached: undefined };
const keyOf = (id: string) => ({ id, enrolledBy: `enrollment of ${id}` });
const rowOf = (id: string) => ({ ...keyOf(id), disabled: false });

const begin = () => {
  const clock = frozenClock();
  const connections = createConnections(clock, FIVE_MINUTES);
  return { clock, connections, connect: (id: string) => connections.open(keyOf(id), STATE) };
};

describe('connections of routers', () => {
  test('a router has one connection: a new one ends the older, which says why and changes nothing any more', () => {
    const { connections, connect } = begin();
    const [older, newer] = [connect('r'), connect('r')];
    assert.deepEqual([older.signal.aborted, older.signal.reason.message], [true, 'the router has connected again']);
    older.update({ syncStatus: 'SYNC_ERROR' });
    older.addIdentity('i');
    older.close('anything');
    assert.deepEqual([newer.signal.aborted, connections.stateOf(rowOf('r'))?.syncStatus], [false, 'SYNC_HELLO']);
    assert.equal(connections.statusOf('i'), 'offline');
  });

  test('a router that was disabled, or has to enroll again, is not connected, and its connection can be closed', () => {
    const { connections, connect } = begin();
    const disabled = connect('r');
    connections.closeUnlessAllowed(rowOf('r'));
    assert.equal(connections.stateOf({ ...rowOf('r'), disabled: true }), undefined);
    assert.equal(disabled.signal.aborted, false);
    connections.closeUnlessAllowed({ ...rowOf('r'), disabled: true });
    assert.equal(disabled.signal.reason.message, 'the router is disabled');
    const stale = connect('r');
    assert.equal(connections.stateOf({ ...rowOf('r'), enrolledBy: null }), undefined);
    connections.closeUnlessAllowed({ ...rowOf('r'), enrolledBy: null });
    assert.equal(stale.signal.reason.message, 'the router must enroll again');
    assert.deepEqual(connections.keys(), []);
  });

  test('an identity whose router was lost is unknown for five minutes, and one that went by itself is offline at once', () => {
    const { clock, connections, connect } = begin();
    const router = connect('r');
    for (const id of ['lost', 'gone']) router.addIdentity(id);
    router.removeIdentity('gone');
    router.close('lost');
    assert.deepEqual(['lost', 'gone', 'never'].map(connections.statusOf), ['unknown', 'offline', 'offline']);
    clock.advance('299999ms');
    assert.equal(connections.statusOf('lost'), 'unknown');
    clock.advance('1ms');
    assert.equal(connections.statusOf('lost'), 'offline');
  });

  test('a change that is heard of late ends no connection that was let in after it', () => {
    const { connections } = begin();
    const connection = connections.open(keyOf('r'), STATE, 7);
    connections.closeRouter('r', 'before', 6);
    connections.closeRouter('r', 'the same', 7);
    assert.equal(connection.signal.aborted, false);
    connections.closeRouter('r', 'after', 8);
    assert.equal(connection.signal.reason.message, 'after');
  });

  test('one of several routers is enough, and one that is forgotten is offline', () => {
    const { connections, connect } = begin();
    const [a, b] = [connect('a'), connect('b')];
    for (const router of [a, b]) router.addIdentity('i');
    a.close('lost');
    assert.equal(connections.statusOf('i'), 'online');
    connections.removeIdentity('i');
    b.close('lost');
    assert.equal(connections.statusOf('i'), 'offline');
  });

  test('whatever happens in whatever order, the status is what the last events make it', () => {
    const routers = fc.constantFrom('a', 'b', 'c');
    const identities = fc.constantFrom('x', 'y');
    const event = fc.oneof(
      fc.record({ is: fc.constant('connect' as const), router: routers }),
      fc.record({ is: fc.constant('end' as const), router: routers }),
      fc.record({ is: fc.constant('carry' as const), router: routers, identity: identities }),
      fc.record({ is: fc.constant('drop' as const), router: routers, identity: identities }),
      fc.record({ is: fc.constant('forget' as const), identity: identities }),
      fc.record({ is: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const { clock, connections, connect } = begin();
        const open = new Map<string, ReturnType<typeof connect>>();
        const carrying = new Map<string, Set<string>>();
        const lostAt = new Map<string, number>();
        const others = (identity: string) => [...carrying.values()].some((set) => set.has(identity));
        const lose = (router: string) => {
          const carried = carrying.get(router) ?? [];
          carrying.delete(router);
          for (const identity of carried) if (!others(identity)) lostAt.set(identity, clock.now());
        };
        for (const each of events) {
          if (each.is === 'wait') clock.advance(`${each.minutes}m`);
          else if (each.is === 'connect') {
            lose(each.router);
            open.set(each.router, connect(each.router));
            carrying.set(each.router, new Set());
          } else if (each.is === 'end') {
            lose(each.router);
            open.get(each.router)?.close('lost');
            open.delete(each.router);
          } else if (each.is === 'forget') {
            connections.removeIdentity(each.identity);
            for (const set of carrying.values()) set.delete(each.identity);
            lostAt.delete(each.identity);
          } else if (each.is === 'carry') {
            open.get(each.router)?.addIdentity(each.identity);
            if (carrying.get(each.router)?.add(each.identity)) lostAt.delete(each.identity);
          } else {
            open.get(each.router)?.removeIdentity(each.identity);
            carrying.get(each.router)?.delete(each.identity);
          }
          for (const identity of ['x', 'y']) {
            const at = lostAt.get(identity);
            const gone = at !== undefined && clock.now() - at < FIVE_MINUTES ? 'unknown' : 'offline';
            assert.equal(connections.statusOf(identity), others(identity) ? 'online' : gone);
          }
          assert.deepEqual(
            connections
              .keys()
              .map(({ id }) => id)
              .sort(),
            [...open.keys()].sort(),
          );
        }
      }),
    );
  });
});

describe('routers that are connected to other controllers', () => {
  const router = (id: string, since: number, hostname?: string) => ({
    key: keyOf(id),
    since,
    state: { ...STATE, reached: hostname === undefined ? undefined : { hostname, supportedProtocols: { tls: `tls://${hostname}:1` } } },
  });

  test('count as long as their controller is believed', () => {
    const { clock, connections } = begin();
    connections.remote.replace([{ until: clock.now() + 1000, routers: [router('r', 1, 'a')] }]);
    assert.deepEqual(
      [connections.stateOf(rowOf('r'))?.reached?.hostname, connections.keys('reached'), connections.hostsBeside('x')],
      ['a', [keyOf('r')], ['a', 'a']],
    );
    assert.deepEqual([connections.localCount, connections.hostsBeside('r')], [0, []]);
    clock.advance('1s');
    assert.deepEqual([connections.stateOf(rowOf('r')), connections.keys(), connections.hostsBeside('x')], [undefined, [], []]);
  });

  test('do not count for a row that is disabled, or of another enrollment', () => {
    const { clock, connections } = begin();
    connections.remote.replace([{ until: clock.now() + 1000, routers: [router('r', 1)] }]);
    assert.equal(connections.stateOf({ ...rowOf('r'), disabled: true }), undefined);
    assert.equal(connections.stateOf({ ...rowOf('r'), enrolledBy: 'another' }), undefined);
    assert.equal(connections.stateOf({ ...rowOf('r'), enrolledBy: null }), undefined);
    assert.deepEqual(connections.stateOf(rowOf('r')), STATE);
  });

  test('of several connections the latest counts that has said how the router is reached', () => {
    const { clock, connections, connect } = begin();
    const until = clock.now() + 1000;
    const hostname = () => connections.stateOf(rowOf('r'))?.reached?.hostname;
    connections.remote.replace([
      { until, routers: [router('r', 2, 'older')] },
      { until, routers: [router('r', 3, 'newer')] },
      { until: until - 1000, routers: [router('r', 4, 'lost')] },
      { until, routers: [router('r', 5)] },
    ]);
    assert.equal(hostname(), 'newer');
    const here = connect('r');
    assert.equal(hostname(), 'newer');
    here.update({ reached: { hostname: 'here', supportedProtocols: {} } });
    assert.equal(hostname(), 'here');
    here.close('lost');
    assert.equal(hostname(), 'newer');
    connections.remote.replace([]);
    assert.equal(hostname(), undefined);
  });
});
