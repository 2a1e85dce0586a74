/**
 * A router that has the secret of its connections may replace them at once. All other routers are told of it each time, so that one router
 * could keep the controller and all of them busy.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testNetwork } from '../../testing/index.ts';
import { directConnection, directRouter } from '../support/control-channel/direct-router.ts';
import { groupHello, openGroup } from '../support/control-channel/underlays.ts';

const MOST = 120;

test('a router that connects again and again is refused with one line, keeps its last connection, and may connect later', async () => {
  await using network = await testNetwork({
    platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } },
  });
  const other = await directRouter(network, await network.edgeRouter('ams1'));
  const fra1 = await network.edgeRouter('fra1');
  await fra1.connect();
  fra1.disconnect();
  const { id, secret } = await openGroup(network, fra1);
  const before = other.came.length;
  const again = (i: number | string) => directConnection(network, fra1, groupHello({ isFirst: true, id: `${id}-${i}`, secret }));
  let [last, admitted] = [await again('first'), 2];
  for (let i = 0; i < MOST + 100; i++) {
    const connection = await again(i);
    if (connection.end === undefined) [last, admitted] = [connection, admitted + 1];
    else assert.match(connection.end, /^the router connects more than 120 times a minute$/);
  }
  assert.ok(admitted <= MOST, `${admitted}`);
  assert.ok(other.came.length - before <= 3 * MOST, `${other.came.length - before}`);
  assert.deepEqual([last.end, other.end], [undefined, undefined]);
  network.clock.advance('1s');
  assert.equal((await again('later')).end, undefined);
});
