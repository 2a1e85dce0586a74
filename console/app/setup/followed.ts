import { useEffect, useState } from 'preact/hooks';
import { turnOf, useLive } from '../live.ts';
import { type Loaded, useLoaded } from '../loaded.ts';
import type { Session } from '../session.ts';

/** The time between reads while something is awaited that the change log does not contain, such as a connection. ms */
const PAUSE = 3000;

interface Following<T> {
  /** Kinds after whose changes the value is read again. */
  readonly kinds: readonly string[];
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** True if nothing more is awaited. */
  readonly isDone: (value: T) => boolean;
}

/** A value that is read again whenever it may have changed. */
export const useFollowed = <T>(session: Session, key: string, { kinds, read, isDone }: Following<T>): Loaded<T> => {
  const live = useLive(session.may('changes', 'list'));
  const [rounds, setRounds] = useState(0);
  const loaded = useLoaded(key, read, turnOf(live, kinds) + rounds);
  const isAwaited = loaded.value === undefined || !isDone(loaded.value);
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(() => (document.hidden ? undefined : setRounds((count) => count + 1)), PAUSE);
    return () => clearInterval(timer);
  }, [isAwaited]);
  return loaded;
};
