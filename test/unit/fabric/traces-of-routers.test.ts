import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRouterTraces } from '../../../src/fabric/channels/traces.ts';
import { createBudget } from '../../../src/fabric/control-channel/budget.ts';
import { createChannel } from '../../../src/fabric/control-channel/channel.ts';
import { routerMessages } from '../../../src/fabric/control-channel/messages/routers.ts';
import { createConnectedRouters } from '../../../src/fabric/registry/connected-routers.ts';
import { createNetworkEvents } from '../../../src/runtime/observability/network-events.ts';
import { frozenClock } from '../../support/clock.ts';

const LOGGER = { error: () => undefined, warn: () => undefined, info: () => undefined };
const WIRE = { write: () => undefined, buffered: 0, drained: async () => undefined, end: () => undefined };

test('a router pays from its budget for the traces that someone follows, over all its connections', async () => {
  const clock = frozenClock();
  const networkEvents = createNetworkEvents({ clock, logger: LOGGER }, 'ctrl');
  const core = { networkEvents, controllerId: 'ctrl', platform: { clock, logger: LOGGER } };
  const traces = createRouterTraces({ core, connected: createConnectedRouters() });
  const none = { burst: 1e9, perSecond: 0 };
  const budget = createBudget(clock, { bytes: none, elements: none, milliseconds: { burst: 1, perSecond: 0 } });
  const connect = () => {
    const channel = createChannel({ clock, wire: WIRE, take: () => () => undefined, note: () => undefined });
    const [contentType, handlerOf] = traces.handler({ id: 'fra1', channel }, () => undefined);
    const body = routerMessages.traceEvent.encode({ identity: 'fra1', decode: '{"__message__":"Ping"}' });
    return async () => (await handlerOf(budget)({ contentType, sequence: 1, headers: new Map(), body }))();
  };
  let heard = 0;
  networkEvents.on('trace', () => heard++);
  for (const trace of [connect(), connect()]) for (let i = 0; i < 5; i++) await trace();
  await assert.rejects(connect()(), { name: 'OverBudget' });
  assert.equal(heard, 10);
});
