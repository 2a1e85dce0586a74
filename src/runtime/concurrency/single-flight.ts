/** Work that runs at most once at a time. */
export interface SingleFlight<T> {
  readonly isRunning: boolean;
  /** Runs the work. Calls that come while it runs share its result. */
  run(): Promise<T>;
}

export const createSingleFlight = <T>(work: () => Promise<T>): SingleFlight<T> => {
  let running: Promise<T> | undefined;
  return {
    get isRunning() {
      return running !== undefined;
    },
    run: () =>
      (running ??= work().finally(() => {
        running = undefined;
      })),
  };
};
