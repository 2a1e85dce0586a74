import type { NetworkEventKind } from '../../contract/network-events/kinds.ts';

/** An event that waits for its follower, or the number of events that it was too slow for. */
export type Buffered = { readonly kind: NetworkEventKind; readonly event: object } | { readonly missed: number };

/** The events that a follower has not taken yet. */
export interface EventBuffer {
  /** Adds an event. If the buffer is full, it and all others until the follower has caught up are only counted. */
  add(kind: NetworkEventKind, event: object): void;
  /** The oldest event; then the gap, if there is one. */
  take(): Buffered | undefined;
  readonly isEmpty: boolean;
  /** Resolves once there is an event, or the signal is aborted. */
  filled(): Promise<void>;
}

/** Bounds of the buffer of one follower: events, and characters of their JSON text. */
const MAX_EVENTS = 2000;
const MAX_CHARACTERS = 1_048_576;

/** Followers share events, whose size is measured once. */
const sizes = new WeakMap<object, number>();

const sizeOf = (event: object): number => {
  let size = sizes.get(event);
  if (size === undefined) sizes.set(event, (size = JSON.stringify(event).length));
  return size;
};

export const createEventBuffer = (signal: AbortSignal): EventBuffer => {
  const waiting: { readonly kind: NetworkEventKind; readonly event: object }[] = [];
  let characters = 0;
  let missed = 0;
  let next = 0;
  let wake = () => {};
  const buffer: EventBuffer = {
    add: (kind, event) => {
      const size = sizeOf(event);
      if (missed > 0 || waiting.length - next >= MAX_EVENTS || characters + size > MAX_CHARACTERS) missed++;
      else {
        waiting.push({ kind, event });
        characters += size;
      }
      wake();
    },
    take: () => {
      const oldest = waiting[next];
      if (oldest) {
        characters -= sizeOf(oldest.event);
        next++;
        if (next === waiting.length) {
          waiting.length = 0;
          next = 0;
        }
        return oldest;
      }
      if (missed === 0) return undefined;
      const gap = { missed };
      missed = 0;
      return gap;
    },
    get isEmpty() {
      return waiting.length === 0 && missed === 0;
    },
    filled: () =>
      new Promise((resolve) => {
        const finish = () => {
          signal.removeEventListener('abort', finish);
          wake = () => {};
          resolve();
        };
        if (!buffer.isEmpty || signal.aborted) return finish();
        wake = finish;
        signal.addEventListener('abort', finish);
      }),
  };
  return buffer;
};
