import type { Logger } from './platform.ts';

/** How pino and bunyan take what is logged. */
type DetailsFirst = Readonly<Record<keyof Logger, (details: Readonly<Record<string, unknown>>, message: string) => void>>;

/**
 * A logger that takes the message first. Those of pino and bunyan take the details first, and would drop them as arguments of the message's format:
 * they are known by what they alone have (`bindings` of pino, `fields` of bunyan), and called in their own way. Others stay as they are.
 */
export const messageFirst = (logger: Logger): Logger => {
  if (!isFunction(logger, 'bindings') && !('fields' in logger && isFunction(logger, 'addStream'))) return logger;
  const detailsFirst = logger as unknown as DetailsFirst; // their types allow both orders, and mean another thing by ours
  return {
    error: (message, details) => detailsFirst.error(named(details), message),
    warn: (message, details) => detailsFirst.warn(named(details), message),
    info: (message, details) => detailsFirst.info(named(details), message),
  };
};

/** Both write an error with its message and stack under the name `err`, and as an empty object under any other. */
const named = ({ error, ...details }: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> =>
  error === undefined ? details : { ...details, [error instanceof Error ? 'err' : 'error']: error };

const isFunction = (logger: object, name: string): boolean => name in logger && typeof Reflect.get(logger, name) === 'function';
