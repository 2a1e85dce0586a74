import { consoleLogger, type Logger } from '../src/adapter-kit.ts';
import type { ServerOptions } from './options.ts';
import { textLogger } from './text-logger.ts';

const LOGGERS = { json: consoleLogger, text: textLogger } as const;

/** @returns undefined without a form: the controller then logs as it does by default */
export const loggerOf = (form: ServerOptions['log']): Logger | undefined => form && LOGGERS[form]();

/** Sentences for the operator at the console. Details are in the sentences. */
export const plainMessages: Logger = {
  info: (message) => console.log(message),
  warn: (message) => console.error(`warning: ${message}`),
  error: (message) => console.error(`error: ${message}`),
};

/** What the server says of itself: events in its log if that has a form, so that all lines of a stream have it; else sentences. */
export const messagesOf = (form: ServerOptions['log']): Logger => loggerOf(form) ?? plainMessages;
