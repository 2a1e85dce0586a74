import { monotonic } from '../platform/clock.ts';
import type { Clock, Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import type { AuthenticationEvent, AuthorizationEvent, Observe, ObservedEvent } from './events.ts';

type SecurityEvent = AuthenticationEvent | AuthorizationEvent;
/** A security event without the fields that `report` adds. */
type ReportedEvent = { readonly [E in SecurityEvent as E['type']]: Omit<E, 'omitted' | 'at'> }[SecurityEvent['type']];

/** The observers of a controller, combined. */
export interface Observer {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  emit(event: ObservedEvent): void;
  /** Emits a security event within the rate limit. */
  report(event: ReportedEvent): void;
}

/** Maximum number of security events of one type and outcome per window. */
const MAX_PER_WINDOW = 100;
/** ms */
const WINDOW_MS = 10_000;

/** @returns undefined if there are no observers, so that nothing is measured */
export const createObserver = (
  observe: Observe | readonly Observe[] | undefined,
  platform: Pick<Platform, 'clock' | 'logger'>,
): Observer | undefined => {
  const all = [observe ?? []].flat();
  if (all.length === 0) return undefined;
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const logFailure = (error: unknown) => {
    try {
      log('error', 'an observer threw an error; the observed call was not affected', { error });
    } catch {
      // The logger belongs to the host, too, and may throw.
    }
  };
  const emit = (event: ObservedEvent) => {
    for (const observer of all) {
      try {
        const result = observer(event);
        if (result instanceof Promise) result.catch(logFailure);
      } catch (error) {
        logFailure(error);
      }
    }
  };
  const admit = createRateLimit(clock);
  return {
    now: () => clock.now(),
    elapsed: () => monotonic(clock),
    emit,
    report: (event) => {
      const omitted = admit(`${event.type} ${event.outcome}`);
      // The cast is needed because the compiler does not preserve the union when it is spread.
      if (omitted !== undefined) emit({ ...event, at: clock.now(), omitted } as SecurityEvent);
    },
  };
};

/**
 * A rate limit per key. The function returns the number of events dropped since the last admitted one, or undefined if this event must be
 * dropped.
 */
const createRateLimit = (clock: Clock): ((key: string) => number | undefined) => {
  const windows = new Map<string, { since: number; admitted: number; omitted: number }>();
  return (key) => {
    const now = monotonic(clock);
    let window = windows.get(key);
    if (!window) {
      window = { since: now, admitted: 0, omitted: 0 };
      windows.set(key, window);
    }
    if (now - window.since >= WINDOW_MS) Object.assign(window, { since: now, admitted: 0 });
    if (window.admitted >= MAX_PER_WINDOW) {
      window.omitted++;
      return undefined;
    }
    window.admitted++;
    const { omitted } = window;
    window.omitted = 0;
    return omitted;
  };
};
