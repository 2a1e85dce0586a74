import { after, monotonic } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import type { Frame } from './frame.ts';
import { type Header, header } from './header-fields.ts';
import { headerForm } from './header-value.ts';
import { nanoseconds } from './primitives.ts';

/** Interval between heartbeats. ms */
const INTERVAL = 10_000;
/**
 * Time without an answer after which the channel is closed. Longer before the first answer, because the router may still be starting. ms
 */
const TIMEOUT = 30_000;
const FIRST_TIMEOUT = 60_000;

/** Options of heartbeats. */
export interface HeartbeatOptions<C extends object> {
  readonly clock: Clock;
  /** The connections of the channel. They are checked in turn. */
  connections(): readonly C[];
  /**
   * Sends a frame that carries these headers.
   * @param over default: any connection
   */
  send(headers: readonly Header[], over?: C): void;
  /** @param silence milliseconds for which the connection has not answered */
  onTimeout(silence: number, connection: C): void;
}

/**
 * Detects that the other end is unreachable over a connection. Both ends send heartbeats, and answer those of the other, over any
 * connection.
 */
export interface Heartbeat {
  /** Handles the headers of a frame. */
  received(frame: Frame): void;
  stop(): void;
}

/** The heartbeats of one connection. */
interface Pulse {
  unansweredSince: number | undefined;
  hasAnswered: boolean;
  /** The heartbeats that are not answered yet, as lists of their bytes. */
  readonly pending: Set<string>;
}

/**
 * Starts heartbeats. The first is sent after one interval. A single timer serves all connections: routers answer only the last of several
 * heartbeats that arrive together.
 */
export const startHeartbeat = <C extends object>({ clock, connections, send, onTimeout }: HeartbeatOptions<C>): Heartbeat => {
  const pulses = new WeakMap<C, Pulse>();
  const pulseOf = (connection: C): Pulse => {
    const pulse = pulses.get(connection) ?? { unansweredSince: undefined, hasAnswered: false, pending: new Set() };
    pulses.set(connection, pulse);
    return pulse;
  };
  let turn = 0;
  const beat = () => {
    const all = connections();
    const connection = all[turn++ % all.length];
    cancel = after(clock, INTERVAL / Math.max(1, all.length), beat);
    if (!connection) return;
    const pulse = pulseOf(connection);
    const now = monotonic(clock);
    const silence = now - (pulse.unansweredSince ?? now);
    if (silence >= (pulse.hasAnswered ? TIMEOUT : FIRST_TIMEOUT)) return onTimeout(silence, connection);
    pulse.unansweredSince ??= now;
    const sent = headerForm.uint64.write(nanoseconds(clock.now()));
    pulse.pending.add(sent.join());
    send([header.heartbeat.of(sent)], connection);
  };
  let cancel = after(clock, INTERVAL, beat);
  return {
    received: (frame) => {
      const answer = header.heartbeatAnswer.in(frame)?.join();
      const all = answer === undefined ? [] : connections();
      for (const connection of all) {
        const pulse = pulseOf(connection);
        if (all.length > 1 && !pulse.pending.has(answer ?? '')) continue;
        pulse.pending.clear();
        Object.assign(pulse, { unansweredSince: undefined, hasAnswered: true });
      }
      const request = header.heartbeat.in(frame);
      if (request) send([header.heartbeatAnswer.of(request)]);
    },
    stop: () => cancel(),
  };
};
