/**
 * The console: a page for administrators, served beside the APIs of a controller. Its files are loaded at the first request for them.
 * @module overlay-controller/console
 */
export { consoleHandler } from './handler.ts';
export type { ConsoleFeature, ConsoleLink, ConsoleOptions, ConsolePage } from './options.ts';
