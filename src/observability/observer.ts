import { monotonic } from '../platform/clock.ts';
import type { Clock, Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import type { AuthenticationEvent, AuthorizationEvent, Observe, ObservedEvent } from './events.ts';

type Security = AuthenticationEvent | AuthorizationEvent;
/** A security event without the fields that the observer adds. */
type Reported = { readonly [E in Security as E['type']]: Omit<E, 'omitted' | 'at'> }[Security['type']];

/** The observers of a controller, combined. */
export interface Observer {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some time, never going back. */
  elapsed(): number;
  emit(event: ObservedEvent): void;
  /** Emits a security event within the rate limit. */
  report(event: Reported): void;
}

/** Security events of one type and outcome that are emitted per window. */
const MOST = 100;
const WINDOW_MS = 10_000;

/** @returns undefined without observers: then nothing is measured */
export const createObserver = (
  observe: Observe | readonly Observe[] | undefined,
  platform: Pick<Platform, 'clock' | 'logger'>,
): Observer | undefined => {
  const all = [observe ?? []].flat();
  if (all.length === 0) return undefined;
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const failed = (error: unknown) => {
    try {
      log('error', 'an observer threw an error; the observed call was not affected', { error });
    } catch {
      // The logger is the host's, too.
    }
  };
  const emit = (event: ObservedEvent) => {
    for (const one of all) {
      try {
        const answered = one(event);
        if (answered instanceof Promise) answered.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  };
  const admit = createLimit(clock);
  return {
    now: () => clock.now(),
    elapsed: () => monotonic(clock),
    emit,
    report: (event) => {
      const omitted = admit(`${event.type} ${event.outcome}`);
      // The compiler loses the member of a union that is spread into an object.
      if (omitted !== undefined) emit({ ...event, at: clock.now(), omitted } as Security);
    },
  };
};

/** @returns the number of events of this key dropped before this one; undefined to drop this one */
const createLimit = (clock: Clock): ((key: string) => number | undefined) => {
  const windows = new Map<string, { since: number; taken: number; omitted: number }>();
  return (key) => {
    const now = monotonic(clock);
    let window = windows.get(key);
    if (!window) windows.set(key, (window = { since: now, taken: 0, omitted: 0 }));
    if (now - window.since >= WINDOW_MS) Object.assign(window, { since: now, taken: 0 });
    if (window.taken >= MOST) {
      window.omitted++;
      return undefined;
    }
    window.taken++;
    const { omitted } = window;
    window.omitted = 0;
    return omitted;
  };
};
