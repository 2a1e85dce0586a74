import type { Logger } from './platform.ts';

const SECRET = /pass(word|phrase)|secret|token|authorization|cookie|credential|private|key$|pem|otp|totp|recovery/i;
const MAX_DEPTH = 4;
const MAX_TEXT = 4096;

type Level = 'error' | 'warn' | 'info';
type Sink = Readonly<Record<Level, (line: string) => void>>;

/**
 * A logger that writes one JSON object a line to the console: `time`, `level`, `message`, and the details.
 * What a name gives away as a secret is written as `***`; what cannot be written as JSON never throws.
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
    return JSON.stringify({ ...own, details: 'unreadable' }); // a getter that throws, say
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
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => plain(item, depth + 1));
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
