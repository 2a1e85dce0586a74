/** The changes of the network as they are committed: one follower for all pages of this tab. */
import { useEffect } from 'preact/hooks';
import type { Change } from '../../client/index.ts';
import { readChanges, StreamRefused } from './change-stream.ts';
import { observable, useObservable } from './observable.ts';
import { sessionEnded } from './session.ts';

/** Called with each change while the log is followed. @returns a function that removes the listener */
export const onChange = (listener: (change: Change) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
const listeners = new Set<(change: Change) => void>();

export interface Live {
  /** `ended`: there are no further attempts, because the session has ended, or may no longer read changes. */
  readonly state: 'opening' | 'live' | 'lost' | 'ended';
  /** Number of connections: after each one, everything may be outdated. */
  readonly connections: number;
  /** Grows regularly, for what the change log does not contain: health, and the connections of routers. */
  readonly rounds: number;
  /** Number of times that entities of a kind have changed, several changes at once counted as one. */
  readonly changed: Readonly<Record<string, number>>;
  /** The time since which changes were missed: the change log no longer contains them. */
  readonly missedSince?: string | undefined;
}

/** Times in ms. */
const FIRST_PAUSE = 1000;
const MAX_PAUSE = 10_000;
/** After a connection that lasted this long, the next attempt follows soon. */
const STABLE = 5000;
/** Changes within this time are announced together. */
const GATHERING = 500;
/** Changes that do not end are announced this often. */
const MIN_INTERVAL = 2000;
/** Connections of routers, circuits and health are not in the change log. */
const ROUND = 15_000;
/** A page that opens soon after another one finds the follower still there. */
const LINGERING = 30_000;

const live = observable<Live>({ state: 'opening', connections: 0, rounds: 0, changed: {} });
const update = (change: Partial<Live>): void => live.set({ ...live.get(), ...change });

/** A number that changes when entities of these kinds may have changed. */
export const turnOf = ({ connections, changed }: Live, kinds: readonly string[]): number =>
  kinds.reduce((sum, kind) => sum + (changed[kind] ?? 0), connections);

/** A number that changes when anything may have changed. */
export const turnOfAll = (state: Live): number => turnOf(state, Object.keys(state.changed)) + state.rounds;

/**
 * The state of the follower, which follows while a component uses it.
 * @param isAllowed false for sessions that may not read changes
 */
export const useLive = (isAllowed: boolean): Live => {
  useEffect(() => (isAllowed ? acquire() : undefined), [isAllowed]);
  return useObservable(live);
};

let users = 0;
let stop: (() => void) | undefined;
let stopping: ReturnType<typeof setTimeout> | undefined;

const acquire = (): (() => void) => {
  users++;
  clearTimeout(stopping);
  stop ??= start();
  return () => {
    if (--users > 0) return;
    stopping = setTimeout(() => {
      stop?.();
      stop = undefined;
    }, LINGERING);
  };
};

const start = (): (() => void) => {
  const aborter = new AbortController();
  const announcer = createAnnouncer();
  update({ state: 'opening', missedSince: undefined });
  void follow(aborter.signal, announcer.add);
  const timer = setInterval(() => {
    if (!document.hidden && live.get().state === 'live') update({ rounds: live.get().rounds + 1 });
  }, ROUND);
  return () => {
    clearInterval(timer);
    announcer.clear();
    aborter.abort();
  };
};

/** Reads the log from connection to connection, with a growing pause between attempts, until the session ends. */
const follow = async (signal: AbortSignal, announce: (kind: string) => void): Promise<void> => {
  let after: number | undefined;
  let lostAt = '';
  for (let failures = 0; !signal.aborted; failures++) {
    let openedAt = Infinity;
    const onOpen = (): void => {
      openedAt = Date.now();
      update({ state: 'live', connections: live.get().connections + 1 });
    };
    const onRevision = (revision: number, change: Change | undefined): void => {
      after = revision;
      if (!change) return;
      announce(change.entity);
      for (const listener of [...listeners]) listener(change);
    };
    const error = await readChanges({ after, signal, onOpen, onRevision }).catch((reason: unknown) => reason);
    if (signal.aborted) return;
    if (sessionEnded.get() || isForbidden(error)) return update({ state: 'ended' });
    if (live.get().state === 'live') lostAt = new Date().toISOString();
    if (Date.now() - openedAt > STABLE) failures = 0;
    const isGap = after !== undefined && isBeyondLog(error);
    update({ state: document.hidden ? 'opening' : 'lost', ...(isGap ? { missedSince: lostAt } : {}) });
    if (isGap) after = undefined;
    else await pause(failures, signal);
  }
};

/** A 401 that does not end the session refuses the right. */
const isForbidden = (error: unknown): boolean => error instanceof StreamRefused && (error.status === 401 || error.status === 403);

/** True if the log does not continue after the last revision: it was trimmed, or belongs to another database. */
const isBeyondLog = (error: unknown): boolean => error instanceof StreamRefused && (error.status === 410 || error.status === 400);

/** Waits, with jitter, until the browser is online again, or until the page is shown again: hidden pages do not follow. */
const pause = async (failures: number, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = new AbortController();
  const options = { signal: done.signal };
  const timer = setTimeout(
    () => (document.hidden ? undefined : resolve()),
    Math.min(FIRST_PAUSE * 2 ** failures, MAX_PAUSE) * (1 + Math.random() / 4),
  );
  addEventListener('online', () => resolve(), options);
  document.addEventListener('visibilitychange', () => (document.hidden ? undefined : resolve()), options);
  signal.addEventListener('abort', () => resolve(), options);
  await promise;
  clearTimeout(timer);
  done.abort();
};

/** Announces changed kinds: several changes together, and changes that do not end at intervals. */
const createAnnouncer = () => {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;
  const announce = (): void => {
    timer = undefined;
    lastAt = Date.now();
    const { changed } = live.get();
    update({ changed: { ...changed, ...Object.fromEntries([...waiting].map((kind) => [kind, (changed[kind] ?? 0) + 1])) } });
    waiting.clear();
  };
  return {
    add: (kind: string): void => {
      waiting.add(kind);
      timer ??= setTimeout(announce, Math.max(GATHERING, lastAt + MIN_INTERVAL - Date.now()));
    },
    clear: (): void => clearTimeout(timer),
  };
};
