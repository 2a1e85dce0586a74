import { constants } from 'node:os';

/** A terminal's Ctrl-C reaches the server twice when it runs below npm: from the terminal, and passed on by npm. Both are one signal. */
const SAME_MS = 500;

/** On SIGINT or SIGTERM closes what is open and exits with 0; on another signal exits at once. */
export const exitOnSignal = (close: () => Promise<void>): void => {
  let first: { readonly signal: string; readonly at: number } | undefined;
  const take = (signal: 'SIGINT' | 'SIGTERM') => {
    if (first) {
      if (first.signal !== signal || performance.now() - first.at > SAME_MS) process.exit(128 + constants.signals[signal]);
      return;
    }
    first = { signal, at: performance.now() };
    console.log('closing: answering what is under way; a second signal ends it at once');
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`error: could not close cleanly: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', take).on('SIGTERM', take);
};
