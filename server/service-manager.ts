import { execFile } from 'node:child_process';
import type { Logger } from '../src/index.ts';
import { sentenceOf } from './failure.ts';
import type { Environment } from './sources.ts';

/** Notifications to systemd about the state of the server (sd_notify(3)). */
export interface ServiceManager {
  /** The server accepts requests. From now on, the watchdog of the unit, if there is one, is answered. */
  ready(): void;
  /** The server shuts down. */
  stopping(): void;
}

/**
 * Notifies systemd if it started the server as a unit of `Type=notify`. Node cannot send datagrams to a Unix socket, so the program
 * `systemd-notify` does; the unit needs `NotifyAccess=all`.
 */
export const serviceManagerOf = ({ NOTIFY_SOCKET, WATCHDOG_USEC }: Environment, messages: Pick<Logger, 'warn'>): ServiceManager => {
  const notify = (state: string): void => {
    if (!NOTIFY_SOCKET) return;
    execFile('systemd-notify', [state], (error) => {
      if (error) messages.warn(`cannot notify systemd: ${sentenceOf(error)}`);
    });
  };
  return {
    ready: () => {
      notify('READY=1');
      const interval = Number(WATCHDOG_USEC) / 2000; // half of the time that systemd waits, in ms
      if (NOTIFY_SOCKET && interval > 0) setInterval(() => notify('WATCHDOG=1'), interval).unref();
    },
    stopping: () => notify('STOPPING=1'),
  };
};
