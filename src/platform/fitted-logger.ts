import { plainError } from './console-logger.ts';
import type { Logger } from './platform.ts';

type Details = Readonly<Record<string, unknown>>;
const LEVELS = ['error', 'warn', 'info'] as const satisfies readonly (keyof Logger)[];

/** How pino and bunyan take what is logged. */
type DetailsFirst = Readonly<Record<keyof Logger, (details: Details, message: string) => void>>;

/**
 * Adapts a logger of the host, so that no detail is lost. pino and bunyan take the details first, and would drop them as arguments of the message's format;
 * winston writes errors in the details as `{}`. They are recognized by members that only they have. Others are returned as they are.
 * @throws TypeError if one of the three methods is missing, e.g. winston with the syslog levels has no `warn`
 */
export const fittedLogger = (logger: Logger): Logger => {
  const missing = LEVELS.find((level) => !isFunction(logger, level));
  if (missing) throw new TypeError(`the logger of the platform must have the methods error, warn and info, and has no ${missing}`);
  if (isDetailsFirst(logger)) {
    const detailsFirst = logger as unknown as DetailsFirst; // their types allow both orders, and mean another thing by ours
    return loggerOf((level, message, details) => detailsFirst[level](named(details), message));
  }
  if (isWinston(logger)) return loggerOf((level, message, details) => logger[level](message, withPlainErrors(details)));
  return logger;
};

const loggerOf = (log: (level: keyof Logger, message: string, details?: Details) => void): Logger => ({
  error: (message, details) => log('error', message, details),
  warn: (message, details) => log('warn', message, details),
  info: (message, details) => log('info', message, details),
});

const isDetailsFirst = (logger: object): boolean =>
  isFunction(logger, 'bindings') || ('fields' in logger && isFunction(logger, 'addStream'));
const isWinston = (logger: object): boolean => isFunction(logger, 'configure') && 'exceptions' in logger && 'rejections' in logger;

/** Both write an error with its message and stack under the name `err`, and as an empty object under any other. */
const named = ({ error, ...details }: Details = {}): Details =>
  error === undefined ? details : { ...details, [error instanceof Error ? 'err' : 'error']: error };

const withPlainErrors = (details: Details = {}): Details =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, value instanceof Error ? plainError(value) : value]));

const isFunction = (logger: object, name: string): boolean => name in logger && typeof Reflect.get(logger, name) === 'function';
