import type { Logger } from '../platform/platform.ts';
import type { Observe, ObservedEvent } from './events.ts';

/**
 * An observer that logs each call, authentication and denial: calls and successful logins as `info`, failures, lockouts and denials as
 * `warn`. Log lines contain path templates, but no paths or names.
 *
 * ```ts
 * const logger = consoleLogger();
 * const platform = nodePlatform({ logger });
 * const controller = await ManagementController.open({ storage, settings, platform, observe: accessLog(logger) });
 * ```
 */
export const accessLog =
  (logger: Pick<Logger, 'info' | 'warn'>): Observe =>
  (event) => {
    const { type: _, ...details } = event;
    const { level, message } = lineOf(event);
    logger[level](message, details);
  };

const lineOf = (event: ObservedEvent): { readonly level: 'info' | 'warn'; readonly message: string } => {
  switch (event.type) {
    case 'operation':
      return { level: 'info', message: 'call answered' };
    case 'authentication':
      if (event.outcome === 'locked') return { level: 'warn', message: 'identity locked' };
      return { level: event.outcome === 'failed' ? 'warn' : 'info', message: `authentication ${event.outcome}` };
    case 'authorization':
      return { level: 'warn', message: 'authorization denied' };
  }
};
