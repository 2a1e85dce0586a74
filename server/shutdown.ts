import { constants } from 'node:os';
import type { Logger } from '../src/index.ts';
import { plainMessages } from './messages.ts';

/** A terminal's Ctrl-C reaches the server twice when it runs below npm: from the terminal, and passed on by npm. Both are one signal. */
const SAME_MS = 500;

/** How often a server below `npx` looks whether its parent is still there. */
const ORPHAN_MS = 500;

/** Something did not close in time and was abandoned. */
const GIVEN_UP = 3;

/** Closes what is open. */
export type Close = () => Promise<void>;

/**
 * Ends the process on SIGINT or SIGTERM, even as PID 1 of a container: at once while there is nothing to close, or on a second signal.
 * @returns registers what to close, and how many milliseconds that may take. The process exits with 0 when everything was closed, 1 when closing
 * failed, 3 when it took longer.
 */
export const exitOnSignal = (messages: Logger = plainMessages): ((close: Close, limitMs: number) => void) => {
  let ending: { readonly close: Close; readonly limitMs: number } | undefined;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const take = (signal: 'SIGINT' | 'SIGTERM') => {
    if (first?.signal === signal && performance.now() - first.at <= SAME_MS) return;
    if (first || !ending) process.exit(128 + constants.signals[signal]);
    first = { signal, at: performance.now() };
    messages.info('closing: answering what is under way; a second signal ends it at once');
    exitAfter(ending.close, ending.limitMs, messages);
  };
  process.on('SIGINT', take).on('SIGTERM', take);
  if (process.env.npm_command === 'exec') onceOrphaned(() => first ?? take('SIGTERM'));
  return (close, limitMs) => {
    ending = { close, limitMs };
  };
};

/** `npx` runs a command below a shell, which dies of SIGTERM and passes it on to nothing: the end of the shell is the signal. */
const onceOrphaned = (then: () => void): void => {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    then();
  }, ORPHAN_MS).unref();
};

const exitAfter = (close: Close, limitMs: number, messages: Logger): void => {
  setTimeout(() => {
    messages.error(`not all was closed within ${limitMs / 1000} seconds, and the rest was given up`);
    process.exit(GIVEN_UP);
  }, limitMs);
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      messages.error(`could not close cleanly: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    },
  );
};
