import { useEffect, useState } from 'preact/hooks';

/** Something that is read from the server. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Reads when the key changes, and keeps what it had until the next answer is there. A read that is no longer wanted is aborted. */
export const useLoaded = <T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> => {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ readonly key?: string; readonly value?: T; readonly error?: unknown; readonly isLoading: boolean }>({
    isLoading: true,
  });
  useEffect(() => {
    const aborter = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    read(aborter.signal).then(
      (value) => (aborter.signal.aborted ? undefined : setState({ key, value, isLoading: false })),
      (error: unknown) => (aborter.signal.aborted ? undefined : setState((before) => ({ ...before, error, isLoading: false }))),
    );
    return () => aborter.abort();
  }, [key, turn]);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload: () => setTurn((count) => count + 1) };
};
