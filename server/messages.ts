import { consoleLogger, type Logger } from '../src/adapter-kit.ts';
import type { ServerOptions } from './server-options.ts';

/** A logger of human-readable lines: time, level, message, and the details as `name=value`. Like the JSON logger, it omits secrets. */
const textLogger = (): Logger =>
  consoleLogger(Date.now, {
    error: (line) => console.error(asText(line)),
    warn: (line) => console.warn(asText(line)),
    info: (line) => console.info(asText(line)),
  });

const asText = (line: string): string => {
  const { time, level, message, ...details }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const pairs = Object.entries(details).map(([name, value]) => `${name}=${formatValue(value)}`);
  return [time, String(level).toUpperCase().padEnd(5), message, ...pairs].join(' ');
};

/** Renders a single word unchanged, anything else as JSON, so that no value can imitate another field or line. */
const formatValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w@%+:,./{}-]+$/.test(value) ? value : JSON.stringify(value);

const LOGGERS = { json: consoleLogger, text: textLogger } as const;

/** @returns undefined if no format is given: the controller then uses its default logger */
export const createLogger = (format: ServerOptions['log']): Logger | undefined => format && LOGGERS[format]();

/** Prints plain sentences for an operator at a terminal. The details are omitted, because the sentences contain them. */
export const plainMessages: Logger = {
  info: (message) => console.log(message),
  warn: (message) => console.error(`warning: ${message}`),
  error: (message) => console.error(`error: ${message}`),
};

/** The logger for the server's own messages: log events with `--log`, so that all output has the same format, otherwise plain sentences. */
export const createMessageLogger = (format: ServerOptions['log']): Logger => createLogger(format) ?? plainMessages;
