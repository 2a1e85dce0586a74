import { every } from '../../../platform/timers.ts';
import type { Fabric } from './fabric.ts';

/** How often it is looked for what others have committed: rights that they take away end within about this time. ms */
const LOOK_EVERY = 1000;

/** As long as routers are connected here, publishes what other controllers on the same store, and transactions of the host, have changed. */
export const watchOthers = ({ core, connected, publish }: Pick<Fabric, 'core' | 'connected' | 'publish'>): (() => void) => {
  let end: (() => void) | undefined;
  return () => {
    end ??= every(core.platform.clock, LOOK_EVERY, async () => {
      if (connected.all().length > 0) return publish();
      end?.();
      end = undefined;
    });
  };
};
