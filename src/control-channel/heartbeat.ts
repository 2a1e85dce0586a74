import type { Clock } from '../platform/platform.ts';
import { after, monotonic } from '../platform/timers.ts';
import type { Frame } from './frame.ts';
import { type Header, header } from './header-fields.ts';
import { headerForm } from './header-value.ts';
import { nanoseconds } from './nanoseconds.ts';

/** Milliseconds between two heartbeats. */
const EVERY = 10_000;
/** Milliseconds without an answer after which the other end counts as lost; longer before its first answer, for it may still be starting. */
const LOST_AFTER = 30_000;
const LOST_AFTER_AT_FIRST = 60_000;

/** What heartbeats need of their channel. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Sends a frame that carries these headers. */
  send(headers: readonly Header[]): void;
  /** The other end has not answered for so many milliseconds. */
  lost(silence: number): void;
}

/** Whether the other end is there: both ends ask, and answer. */
export interface Heartbeat {
  /** Looks at the headers of what came. */
  received(frame: Frame): void;
  stop(): void;
}

/** Begins at once; the first heartbeat is sent after the time between two. */
export const startHeartbeat = ({ clock, send, lost }: HeartbeatOptions): Heartbeat => {
  let unansweredSince: number | undefined;
  let hasAnswered = false;
  const beat = () => {
    const now = monotonic(clock);
    const silence = now - (unansweredSince ?? now);
    if (silence >= (hasAnswered ? LOST_AFTER : LOST_AFTER_AT_FIRST)) return lost(silence);
    unansweredSince ??= now;
    cancel = after(clock, EVERY, beat);
    send([header.heartbeat.of(headerForm.uint64.write(nanoseconds(clock.now())))]);
  };
  let cancel = after(clock, EVERY, beat);
  return {
    received: (frame) => {
      if (header.heartbeatAnswer.in(frame)) {
        hasAnswered = true;
        unansweredSince = undefined;
      }
      const asked = header.heartbeat.in(frame);
      if (asked) send([header.heartbeatAnswer.of(asked)]);
    },
    stop: () => cancel(),
  };
};
