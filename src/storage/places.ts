/** A counting semaphore with a FIFO queue. A waiter that gives up leaves the queue. */
export interface Places {
  /** A place, if one is free. @returns what gives it back */
  take(): Leave | undefined;
  /**
   * A place, as soon as one is free.
   * @returns what gives it back
   * @throws the reason of `signal`, once aborted
   */
  wait(signal?: AbortSignal): Promise<Leave>;
}

/** Gives a place back; again, it does nothing. */
export type Leave = () => void;

/** Makes a counting semaphore. @param count how many places there are */
export const createPlaces = (count: number): Places => {
  let taken = 0;
  const waiting = new Set<() => void>();
  const leave = () => {
    const [next] = waiting;
    // The first waiter takes over this place; it becomes free only when none waits.
    if (next) next();
    else taken--;
  };
  const placeOf = (): Leave => {
    let isLeft = false;
    return () => {
      if (!isLeft) leave();
      isLeft = true;
    };
  };
  const take = () => {
    if (taken >= count) return undefined;
    taken++;
    return placeOf();
  };
  return {
    take,
    wait: async (signal) => {
      signal?.throwIfAborted();
      return (
        take() ??
        new Promise((resolve, reject) => {
          const over = () => {
            waiting.delete(next);
            signal?.removeEventListener('abort', abort);
          };
          const next = () => {
            over();
            resolve(placeOf());
          };
          const abort = () => {
            over();
            reject(signal?.reason);
          };
          waiting.add(next);
          signal?.addEventListener('abort', abort);
        })
      );
    },
  };
};
