import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Observable<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly follow: (listener: () => void) => () => void;
}

export const observable = <T>(first: T): Observable<T> => {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** The current value; the component is drawn again when it changes. */
export const useObservable = <T>(source: Observable<T>): T => {
  const [, draw] = useState(0);
  useEffect(() => source.follow(() => draw((count) => count + 1)), [source]);
  return source.get();
};
