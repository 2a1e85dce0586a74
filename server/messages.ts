import { consoleLogger, type Logger } from '../src/adapter-kit.ts';
import type { ServerOptions } from './server-options.ts';
import { textLogger } from './text-logger.ts';

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
