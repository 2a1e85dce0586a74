import { useEffect, useRef, useState } from 'preact/hooks';

/** A value that is read from the server. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Reads a value again whenever the key changes. The previous value remains until the read completes; a superseded read is aborted.
 * @param turn when it changes, the value is read again after the read in progress
 */
export const useLoaded = <T>(key: string, read: (signal: AbortSignal) => Promise<T>, turn = 0): Loaded<T> => {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ readonly key?: string; readonly value?: T; readonly error?: unknown; readonly isLoading: boolean }>({
    isLoading: true,
  });
  const readTurn = useRef(turn);
  if (!state.isLoading) readTurn.current = turn;
  useEffect(() => {
    const aborter = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    read(aborter.signal).then(
      (value) => (aborter.signal.aborted ? undefined : setState({ key, value, isLoading: false })),
      (error: unknown) => (aborter.signal.aborted ? undefined : setState((before) => ({ ...before, error, isLoading: false }))),
    );
    return () => aborter.abort();
  }, [key, attempt, readTurn.current]);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload: () => setAttempt((count) => count + 1) };
};
