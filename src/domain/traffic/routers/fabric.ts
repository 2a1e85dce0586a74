import type { Core } from '../../../call/core.ts';
import type { ChangeListeners } from '../../../changes/listeners.ts';
import type { Job } from '../../../jobs/background.ts';
import type { ConnectedRouters } from './connected-routers.ts';

/** What the rules about traffic work with. */
export interface Fabric {
  readonly core: Core;
  readonly events: Pick<ChangeListeners, 'on'>;
  readonly connected: ConnectedRouters;
  /** Publishes what was committed elsewhere. */
  publish(): Promise<void>;
}

/** Runs work that a router has asked for. Its changes are those of the controller itself. */
export const forRouters = <T>({ background }: Pick<Core, 'background'>, work: (job: Job) => Promise<T>): Promise<T> =>
  background.run({ actor: 'system', requestId: 'routers' }, work);
