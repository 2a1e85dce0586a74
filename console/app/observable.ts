import { useEffect, useState } from 'preact/hooks';

/** A value with subscribers. */
export interface Observable<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** @returns a function that removes the listener */
  readonly subscribe: (listener: () => void) => () => void;
}

export const observable = <T>(initial: T): Observable<T> => {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** The current value; the component is rendered again when it changes. */
export const useObservable = <T>(source: Observable<T>): T => {
  const [, setVersion] = useState(0);
  useEffect(() => source.subscribe(() => setVersion((version) => version + 1)), [source]);
  return source.get();
};
