import { after, monotonic } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Frame } from './frame.ts';
import { type Header, header } from './header-fields.ts';
import { headerForm } from './header-value.ts';
import { nanoseconds } from './primitives.ts';

/** Interval between heartbeats. ms */
const INTERVAL = 10_000;
/** Time without an answer after which the channel is closed. Longer before the first answer, because the router may still be starting. ms */
const TIMEOUT = 30_000;
const FIRST_TIMEOUT = 60_000;

/** Options of heartbeats. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Sends a frame that carries these headers. */
  send(headers: readonly Header[]): void;
  /** @param silence milliseconds without an answer */
  onTimeout(silence: number): void;
}

/** Detects that the other end is unreachable. Both ends send heartbeats, and answer those of the other. */
export interface Heartbeat {
  /** Handles the headers of a frame. */
  received(frame: Frame): void;
  stop(): void;
}

/** Starts heartbeats. The first is sent after one interval. */
export const startHeartbeat = ({ clock, send, onTimeout }: HeartbeatOptions): Heartbeat => {
  let unansweredSince: number | undefined;
  let hasAnswered = false;
  const beat = () => {
    const now = monotonic(clock);
    const silence = now - (unansweredSince ?? now);
    if (silence >= (hasAnswered ? TIMEOUT : FIRST_TIMEOUT)) return onTimeout(silence);
    unansweredSince ??= now;
    cancel = after(clock, INTERVAL, beat);
    send([header.heartbeat.of(headerForm.uint64.write(nanoseconds(clock.now())))]);
  };
  let cancel = after(clock, INTERVAL, beat);
  return {
    received: (frame) => {
      if (header.heartbeatAnswer.in(frame)) {
        hasAnswered = true;
        unansweredSince = undefined;
      }
      const request = header.heartbeat.in(frame);
      if (request) send([header.heartbeatAnswer.of(request)]);
    },
    stop: () => cancel(),
  };
};
