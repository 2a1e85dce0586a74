import type { Change, Logger, ObservedEvent } from '../src/index.ts';
import { adaptLogger } from '../src/runtime/platform/logger.ts';

/** A line of the controller's log. */
export interface LogLine {
  /** The method of the logger that was called. */
  readonly level: keyof Logger;
  /** The message. */
  readonly message: string;
  /** The details of the message. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
}

/** The events of a network since it was opened, or since `clear`, each list in order. */
export interface Recorded {
  /** Committed changes, as `controller.events` announces them. */
  readonly changes: readonly Change[];
  /** Calls, authentications and denials, as reported to observers. */
  readonly observed: readonly ObservedEvent[];
  /** Lines that the controller logged. They are also printed, unless the platform has its own logger. */
  readonly log: readonly LogLine[];
  /** Empties the three lists. */
  clear(): void;
}

/** The recorded events, and the functions that record them. */
export interface Recorder {
  readonly recorded: Recorded;
  change(change: Change): void;
  observe(event: ObservedEvent): void;
  /** Returns a logger that records each line, and passes it on. */
  logger(target: Logger): Logger;
}

export const createRecorder = (): Recorder => {
  const [changes, observed, log]: [Change[], ObservedEvent[], LogLine[]] = [[], [], []];
  const clear = () => {
    for (const list of [changes, observed, log]) list.length = 0;
  };
  return {
    recorded: { changes, observed, log, clear },
    change: (change) => void changes.push(change),
    observe: (event) => void observed.push(event),
    logger: (target) => {
      const fitted = adaptLogger(target);
      const level =
        (name: keyof Logger): Logger[keyof Logger] =>
        (message, details) => {
          log.push({ level: name, message, details });
          fitted[name](message, details);
        };
      return { error: level('error'), warn: level('warn'), info: level('info') };
    },
  };
};
