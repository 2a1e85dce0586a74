import { consoleLogger, type Logger } from '../src/adapter-kit.ts';
import type { ServerOptions } from './server-options.ts';

/** A logger that writes a line of text for people: time, level, message, and the details as `name=value`. Secrets are left out as in JSON. */
const textLogger = (): Logger =>
  consoleLogger(Date.now, {
    error: (line) => console.error(asText(line)),
    warn: (line) => console.warn(asText(line)),
    info: (line) => console.info(asText(line)),
  });

const asText = (line: string): string => {
  const { time, level, message, ...details }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const pairs = Object.entries(details).map(([name, value]) => `${name}=${shown(value)}`);
  return [time, String(level).toUpperCase().padEnd(5), message, ...pairs].join(' ');
};

/** A single word as it is, anything else as JSON, so that no value can imitate another field or line. */
const shown = (value: unknown): string => (typeof value === 'string' && /^[\w@%+:,./{}-]+$/.test(value) ? value : JSON.stringify(value));

const LOGGERS = { json: consoleLogger, text: textLogger } as const;

/** @returns undefined without a form: the controller then uses its default logger */
export const loggerOf = (form: ServerOptions['log']): Logger | undefined => form && LOGGERS[form]();

/** Sentences for the operator at the console. Details are in the sentences. */
export const plainMessages: Logger = {
  info: (message) => console.log(message),
  warn: (message) => console.error(`warning: ${message}`),
  error: (message) => console.error(`error: ${message}`),
};

/** The server's own messages: log events with `--log`, so that every line of the stream has that format; else sentences. */
export const messagesOf = (form: ServerOptions['log']): Logger => loggerOf(form) ?? plainMessages;
