import type { Core } from '../../call/core.ts';
import type { ChangeEvents } from '../../contract/changes/events.ts';
import { every } from '../../runtime/platform/clock.ts';
import type { ChangeListeners } from '../../store/changelog/listeners.ts';
import { POLL_MS } from '../../store/changelog/watch.ts';
import type { Job } from '../../store/jobs/background.ts';
import type { ConnectedRouters } from './connected-routers.ts';

/** Dependencies of the code that serves routers. */
export interface Fabric {
  readonly core: Core;
  readonly events: Pick<ChangeListeners, 'on'>;
  readonly connected: ConnectedRouters;
  /** Publishes changes that other controllers, or transactions of the host, have committed. */
  publish(): Promise<void>;
}

/** Runs background work for routers. Its changes are attributed to the actor `system`. */
export const forRouters = <T>({ background }: Pick<Core, 'background'>, work: (job: Job) => Promise<T>): Promise<T> =>
  background.run({ actor: 'system', requestId: 'routers' }, work);

type RouterChange = ChangeEvents['router' | 'edgeRouter'][0];

/** Subscribes to changes of routers of either kind. */
export const onRouterChange = (events: Pick<ChangeListeners, 'on'>, listener: (change: RouterChange) => void): void => {
  for (const kind of ['router', 'edgeRouter'] as const) events.on(kind, listener);
};

/**
 * A right that is revoked at another controller ends here after about one interval of polling.
 * @returns a function that starts polling for changes by other controllers. Polling stops by itself when no router is connected.
 */
export const pollChanges = ({ core, connected, publish }: Pick<Fabric, 'core' | 'connected' | 'publish'>): (() => void) => {
  let stop: (() => void) | undefined;
  return () => {
    stop ??= every(core.platform.clock, POLL_MS, async () => {
      if (connected.all().length > 0) return publish();
      stop?.();
      stop = undefined;
    });
  };
};
