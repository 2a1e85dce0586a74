import type { Logger } from '../platform/platform.ts';
import type { Observe, ObservedEvent } from './events.ts';

/**
 * An observer that logs each call, authentication and denial: calls and successful logins as `info`, failures, lockouts and denials as `warn`. Log lines
 * contain path templates, but neither paths nor names.
 *
 * ```ts
 * const logger = consoleLogger();
 * const controller = await ManagementController.open({ storage, settings, platform: nodePlatform({ logger }), observe: accessLog(logger) });
 * ```
 */
export const accessLog =
  (logger: Pick<Logger, 'info' | 'warn'>): Observe =>
  (event) => {
    const { type: _, ...details } = event;
    const { text, isBad } = messageOf(event);
    logger[isBad ? 'warn' : 'info'](text, details);
  };

const messageOf = (event: ObservedEvent): { readonly text: string; readonly isBad: boolean } => {
  switch (event.type) {
    case 'operation':
      return { text: 'call answered', isBad: false };
    case 'authentication':
      return event.outcome === 'locked'
        ? { text: 'identity locked', isBad: true }
        : { text: `authentication ${event.outcome}`, isBad: event.outcome === 'failed' };
    case 'authorization':
      return { text: 'authorization denied', isBad: true };
  }
};
