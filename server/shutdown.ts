import { constants } from 'node:os';
import type { Logger } from '../src/index.ts';
import { plainMessages } from './messages.ts';

/** A signal that is repeated within this time is ignored: under npm, Ctrl-C arrives twice, from the terminal and forwarded by npm. */
const SAME_SIGNAL_MS = 500;

/** Interval at which a server under `npx` checks that its parent process is still running. */
const ORPHAN_CHECK_MS = 500;

/** Exit status if the shutdown did not finish in time. */
const TIMED_OUT = 3;

/** Closes the server. */
export type Close = () => Promise<void>;

/**
 * Shuts down on SIGINT or SIGTERM, even as PID 1 of a container. Exits immediately on a second signal, or if no close function is
 * registered yet.
 * @returns a function that registers how to close the server, and the time limit in ms. The process exits with 0 after a complete shutdown,
 * 1 if it failed, 3 if it exceeded the limit.
 */
export const exitOnSignal = (messages: Logger = plainMessages): ((close: Close, limitMs: number) => void) => {
  let registered: { readonly close: Close; readonly limitMs: number } | undefined;
  let first: { readonly signal: string; readonly at: number } | undefined;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (first?.signal === signal && performance.now() - first.at <= SAME_SIGNAL_MS) return;
    if (first || !registered) process.exit(128 + constants.signals[signal]);
    first = { signal, at: performance.now() };
    messages.info('shutting down: finishing open requests; a second signal exits at once');
    exitAfter(registered.close, registered.limitMs, messages);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  if (process.env.npm_command === 'exec')
    onceOrphaned(() => {
      if (!first) onSignal('SIGTERM');
    });
  return (close, limitMs) => {
    registered = { close, limitMs };
  };
};

/** `npx` runs a command in a shell that ends on SIGTERM without forwarding it, so the end of the shell counts as the signal. */
const onceOrphaned = (onOrphaned: () => void): void => {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, ORPHAN_CHECK_MS).unref();
};

const exitAfter = (close: Close, limitMs: number, messages: Logger): void => {
  setTimeout(() => {
    messages.error(`shutdown did not finish within ${limitMs / 1000} seconds: the remaining requests were aborted`);
    process.exit(TIMED_OUT);
  }, limitMs);
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      messages.error(`shutdown failed: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    },
  );
};
