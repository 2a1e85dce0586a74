import type { Core } from '../../call/core.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import { after, isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import { beginningOf } from '../../runtime/platform/control-characters.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { routerMessages } from '../control-channel/messages/routers.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';

type ConnectReport = MessageBody<(typeof routerMessages)['connectEvents']>;

/** Emits the events of identities that connect to a router and disconnect from it. */
export interface IdentityEvents {
  /** The identities among these that are connected to no router of this controller. */
  absent(ids: readonly string[]): ReadonlySet<string>;
  /** Identities that were absent have connected to the router. */
  arrived(ids: Iterable<string>): void;
  /** Identities have disconnected from the router. */
  left(ids: readonly string[]): void;
  /** Single connections in a report, of identities that are known. A report may have a hundred thousand: yields the cost of each. */
  connections(report: ConnectReport, known: ReadonlySet<string>): Generator<number, void>;
}

const MAX_ADDRESS_LENGTH = 255;
/** Number of identities whose events are emitted before others have their turn. */
const BATCH = 500;
/** Approximate number of elements that the event of a connection costs. */
const ELEMENTS_PER_CONNECTION = 4;

/** @param carried the identities that are connected to the router, for the event of its own disconnection */
export const createIdentityEvents = (
  { networkEvents, presence, platform, settings }: Pick<Core, 'networkEvents' | 'presence' | 'platform' | 'settings'>,
  { channel, id: routerId }: Pick<ConnectedRouter, 'channel' | 'id'>,
  carried: ReadonlySet<string>,
): IdentityEvents => {
  const emit = (event_type: 'sdk-online' | 'sdk-offline' | 'sdk-status-unknown', ids: Iterable<string>) => {
    for (const identity_id of ids) networkEvents.emit('sdk', () => ({ event_type, identity_id }));
  };
  /** A router may carry a hundred thousand identities, whose status may change again while others have their turn. */
  const emitBatches = async (event_type: 'sdk-offline' | 'sdk-status-unknown', status: 'offline' | 'unknown', ids: Iterable<string>) => {
    for (const batch of inBatches(ids, () => 1, BATCH)) {
      emit(
        event_type,
        batch.filter((id) => presence.statusOf(id) === status),
      );
      await yieldToEventLoop();
    }
  };
  channel.signal.addEventListener('abort', () => {
    if (!networkEvents.isHeard('sdk')) return;
    const lost = [...carried].filter((id) => presence.statusOf(id) === 'unknown');
    if (lost.length === 0) return;
    void emitBatches('sdk-status-unknown', 'unknown', lost);
    // Slightly later than presence, which decides.
    after(platform.clock, settings.unknownConnectionMinutes * MINUTE + 1, () => void emitBatches('sdk-offline', 'offline', lost));
  });
  return {
    absent: (ids) => new Set(ids.filter((id) => presence.statusOf(id) !== 'online')),
    arrived: (ids) => emit('sdk-online', ids),
    left: (ids) => {
      if (networkEvents.isHeard('sdk'))
        emit(
          'sdk-offline',
          ids.filter((id) => presence.statusOf(id) !== 'online'),
        );
    },
    *connections({ events }, known) {
      if (!networkEvents.isHeard('connect')) return;
      const all = events.flatMap(({ identityId, connectTimes }) =>
        known.has(identityId) ? connectTimes.map((each) => ({ identityId, ...each })) : [],
      );
      for (const { identityId, connectTime, srcAddr, dstAddr } of all.sort((a, b) => Number(a.connectTime - b.connectTime))) {
        networkEvents.emit('connect', () => ({
          ...timeOf(connectTime),
          src_type: 'identity',
          dst_type: 'router',
          src_id: identityId,
          src_addr: beginningOf(srcAddr, MAX_ADDRESS_LENGTH),
          dst_id: routerId,
          dst_addr: beginningOf(dstAddr, MAX_ADDRESS_LENGTH),
        }));
        yield ELEMENTS_PER_CONNECTION;
      }
    },
  };
};

/** The end of the year 9999, which is the last one in RFC 3339. ms */
const MAX_TIME = 253_402_300_800_000;

/** The time that a router reports; that of the controller if there is none, or RFC 3339 has none. */
export const timeOf = (milliseconds: bigint): { readonly timestamp?: string } => {
  const time = Number(milliseconds);
  return time > 0 && time < MAX_TIME ? { timestamp: isoTime(time) } : {};
};
