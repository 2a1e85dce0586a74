import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { isLimited, isUnlimited } from '../../call/grant.ts';
import { implement } from '../../call/implement.ts';
import type { DecodedOf } from '../../contract/api/kit/index.ts';
import { networkEvents } from '../../contract/api/network-events.ts';
import { AUDITOR } from '../../contract/api/permissions.ts';
import type { ServerSentEvent } from '../../contract/api/surfaces/http-output.ts';
import { type NetworkEvent, type NetworkEventKind, networkEventDeclaration } from '../../contract/network-events/kinds.ts';
import { after, every, pause } from '../../runtime/platform/clock.ts';
import { countEntities } from './entity-counts.ts';
import { createEventBuffer } from './event-buffer.ts';
import { countIntervalOf, type Subscription, subscriptionsOf } from './subscriptions.ts';
import { toggleTraces } from './toggle-traces.ts';

type Operation = typeof networkEvents.operations.follow;
type Followed = ServerSentEvent<{ readonly namespace: string; readonly event_type?: string; readonly missed?: number }>;

/** Interval at which the caller's permission is checked while there are no events, and while there are. ms */
const RECHECK_MS = 5000;
const RECHECK_BUSY_MS = 1000;
/** Delay before a disconnected client reconnects. ms */
const RETRY_MS = 1000;
/** Delay before the first event of the kind `entityCount`. ms */
const FIRST_COUNT_MS = 500;

const followNetworkEvents = async (call: Call, input: DecodedOf<Operation>) => {
  const interval = countIntervalOf(input);
  const subscriptions = subscriptionsOf(input, (kind) => maySee(call, kind));
  return eventsOf(call, subscriptions, interval);
};

/**
 * Events about identities are for those who may read the change log: administrators, auditors and the host. Callers who may see only some
 * entities get no events, because these name and count all entities. The kind `cluster` has none.
 */
const maySee = (call: Call, kind: NetworkEventKind): boolean => {
  if (kind === 'cluster') return true;
  if (isLimited(call.grant)) return false;
  return networkEventDeclaration(kind).isPersonal !== true || isUnlimited(call) || call.grant.permissions?.includes(AUDITOR) === true;
};

async function* eventsOf(call: Call, subscriptions: readonly Subscription[], interval: number): AsyncGenerator<Followed, void, undefined> {
  const { networkEvents: source, logWatch, platform } = call.core;
  const { clock } = platform;
  const ending = new AbortController();
  const end = () => ending.abort();
  const signals = [call.signal, logWatch.signal];
  for (const signal of signals) signal.addEventListener('abort', end);
  if (signals.some(({ aborted }) => aborted)) end();
  const buffer = createEventBuffer(ending.signal);
  const stops = subscriptions.map(({ kind, seen }) => {
    const listener = (event: NetworkEvent) => {
      const told = seen(event);
      if (told) buffer.add(kind, told);
    };
    if (kind === 'entityCount') return tellCounts(call.core, interval, listener);
    source.on(kind, listener);
    return () => source.off(kind, listener);
  });
  let checkedAt = clock.now();
  try {
    yield { event: 'stream', data: { namespace: 'stream', event_type: 'opened' }, retry: RETRY_MS };
    while (!ending.signal.aborted) {
      if (buffer.isEmpty) {
        const idle = new AbortController();
        await Promise.race([buffer.filled(), pause(clock, RECHECK_MS, idle.signal)]);
        idle.abort();
        if (ending.signal.aborted) break;
      }
      if (clock.now() - checkedAt >= (buffer.isEmpty ? RECHECK_MS : RECHECK_BUSY_MS)) {
        await call.readTogether('network-events', async () => undefined);
        checkedAt = clock.now();
        if (!subscriptions.every(({ kind }) => maySee(call, kind))) break;
      }
      // One by one: a follower that reads slowly may otherwise outlive its right, because its buffer never becomes empty.
      const taken = buffer.take();
      if (taken)
        yield 'missed' in taken
          ? { event: 'stream', data: { namespace: 'stream', event_type: 'gap', missed: taken.missed } }
          : { event: taken.kind, data: taken.event as NetworkEvent };
    }
    if (!logWatch.signal.aborted) call.signal.throwIfAborted();
  } finally {
    for (const stop of stops) stop();
    for (const signal of signals) signal.removeEventListener('abort', end);
    end();
  }
}

/**
 * Tells a follower the numbers of entities at its interval.
 * @returns a function that stops it
 */
const tellCounts = (core: Core, interval: number, tell: (event: NetworkEvent) => void): (() => void) => {
  const { networkEvents: source, platform } = core;
  const tellNow = async () => {
    const counted = await countEntities(core).then(
      (counts) => ({ counts }),
      () => ({ counts: {}, error: 'the entities could not be counted' }),
    );
    tell(source.eventOf('entityCount', () => counted));
  };
  const cancel = after(platform.clock, FIRST_COUNT_MS, () => void tellNow());
  const stop = every(platform.clock, interval, tellNow);
  return () => {
    cancel();
    stop();
  };
};

export const networkEventEntries = implement(networkEvents, { follow: followNetworkEvents, toggleTraces });
