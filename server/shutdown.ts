import { constants } from 'node:os';
import type { Logger } from '../src/index.ts';
import { plainMessages } from './messages.ts';

/** Signals within this time count as one: below npm, Ctrl-C arrives twice, from the terminal and forwarded by npm. */
const SAME_MS = 500;

/** The interval at which a server below `npx` checks that its parent still runs. */
const ORPHAN_MS = 500;

/** Exit status when the shutdown did not finish in time. */
const GIVEN_UP = 3;

/** Closes the server. */
export type Close = () => Promise<void>;

/**
 * Ends the process on SIGINT or SIGTERM, even as PID 1 of a container; immediately before anything is registered, or on a second signal.
 * @returns registers the function that closes the server, and its time limit in ms. The process exits with 0 after a complete shutdown, 1 if it failed,
 * 3 if it exceeded the limit.
 */
export const exitOnSignal = (messages: Logger = plainMessages): ((close: Close, limitMs: number) => void) => {
  let ending: { readonly close: Close; readonly limitMs: number } | undefined;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const take = (signal: 'SIGINT' | 'SIGTERM') => {
    if (first?.signal === signal && performance.now() - first.at <= SAME_MS) return;
    if (first || !ending) process.exit(128 + constants.signals[signal]);
    first = { signal, at: performance.now() };
    messages.info('shutting down: finishing open requests; a second signal exits at once');
    exitAfter(ending.close, ending.limitMs, messages);
  };
  process.on('SIGINT', take).on('SIGTERM', take);
  if (process.env.npm_command === 'exec') onceOrphaned(() => first ?? take('SIGTERM'));
  return (close, limitMs) => {
    ending = { close, limitMs };
  };
};

/** `npx` runs a command below a shell, which ends on SIGTERM without forwarding it: the end of the shell is the signal. */
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
    messages.error(`shutdown did not finish within ${limitMs / 1000} seconds: what was still open has been abandoned`);
    process.exit(GIVEN_UP);
  }, limitMs);
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      messages.error(`shutdown failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    },
  );
};
