import type { Logger } from './platform.ts';

/** Names of details that suggest a secret. */
const SECRET = /pass(word|phrase)|secret|token|authorization|cookie|credential|private|key$|pem|otp|totp|recovery/i;
/** Maximum depth of nested details. */
const MAX_DEPTH = 4;
/** Maximum length of a text, in UTF-16 units. */
const MAX_TEXT = 4096;
/** Maximum number of elements of an array. */
const MAX_ITEMS = 100;

type Level = 'error' | 'warn' | 'info';
type Sink = Readonly<Record<Level, (line: string) => void>>;

/**
 * A logger that writes one JSON object per line to the console: `time`, `level`, `message`, and the details.
 * Values whose names suggest a secret are written as `***`. Never throws, even for values that cannot be serialized.
 */
export const consoleLogger = (now: () => number = Date.now, sink: Sink = console): Logger => {
  const log =
    (level: Level) =>
    (message: string, details: Readonly<Record<string, unknown>> = {}) => {
      sink[level](line(level, message, details, now()));
    };
  return { error: log('error'), warn: log('warn'), info: log('info') };
};

const line = (level: Level, message: string, details: Readonly<Record<string, unknown>>, now: number): string => {
  const own = { time: new Date(now), level, message };
  try {
    return JSON.stringify({ ...asObject(details), ...own });
  } catch {
    return JSON.stringify({ ...own, details: 'unreadable' }); // e.g. because a getter throws
  }
};

const asObject = (details: Readonly<Record<string, unknown>>, depth = 0): Record<string, unknown> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, SECRET.test(name) ? '***' : plain(value, depth + 1)]));

const plain = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return shorten(value);
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'object') return shorten(String(value)); // a bigint, symbol or function
  if (depth > MAX_DEPTH) return '…';
  if (value instanceof Error) return plainError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`; // may be key material
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => plain(item, depth + 1));
  return asObject(value as Record<string, unknown>, depth); // any other object is a map of its own properties
};

/** The properties of an error as a plain object, for loggers that write errors as `{}`. */
export const plainError = (error: Error, depth = 0): Record<string, unknown> => ({
  name: error.name,
  message: shorten(error.message),
  ...(error.stack === undefined ? {} : { stack: shorten(error.stack) }),
  ...(error.cause === undefined ? {} : { cause: plain(error.cause, depth + 1) }),
});

const shorten = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);

type Details = Readonly<Record<string, unknown>>;
const LEVELS = ['error', 'warn', 'info'] as const satisfies readonly (keyof Logger)[];

/** The argument order of pino and bunyan. */
type DetailsFirst = Readonly<Record<keyof Logger, (details: Details, message: string) => void>>;

/**
 * Adapts the host's logger, so that no detail is lost. pino and bunyan expect the details before the message, and would otherwise drop
 * them; winston writes errors in the details as `{}`. They are recognized by members that other loggers lack. Other loggers are returned
 * unchanged.
 * @throws TypeError if one of the three methods is missing: e.g. winston with the syslog levels has no `warn`
 */
export const adaptLogger = (logger: Logger): Logger => {
  const missing = LEVELS.find((level) => !isFunction(logger, level));
  if (missing) throw new TypeError(`the logger of the platform must have the methods error, warn and info, but has no ${missing}`);
  if (isDetailsFirst(logger)) {
    const detailsFirst = logger as unknown as DetailsFirst; // the types of these loggers allow both orders, but with different meanings
    return createLogger((level, message, details) => detailsFirst[level](withErrKey(details), message));
  }
  if (isWinston(logger)) return createLogger((level, message, details) => logger[level](message, withPlainErrors(details)));
  return logger;
};

const createLogger = (log: (level: keyof Logger, message: string, details?: Details) => void): Logger => ({
  error: (message, details) => log('error', message, details),
  warn: (message, details) => log('warn', message, details),
  info: (message, details) => log('info', message, details),
});

const isDetailsFirst = (logger: object): boolean =>
  isFunction(logger, 'bindings') || ('fields' in logger && isFunction(logger, 'addStream'));
const isWinston = (logger: object): boolean => isFunction(logger, 'configure') && 'exceptions' in logger && 'rejections' in logger;

/** pino and bunyan write the message and stack of an error only under the name `err`; under any other name, they write an empty object. */
const withErrKey = ({ error, ...details }: Details = {}): Details =>
  error === undefined ? details : { ...details, [error instanceof Error ? 'err' : 'error']: error };

const withPlainErrors = (details: Details = {}): Details =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, value instanceof Error ? plainError(value) : value]));

const isFunction = (logger: object, name: string): boolean => name in logger && typeof Reflect.get(logger, name) === 'function';
