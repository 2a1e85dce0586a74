import type { Clock } from '../platform/platform.ts';
import type { PresentRouter, RouterKey } from './present-router.ts';

/** The routers of another controller. */
export interface RemoteController {
  /** Expiry of this, unless it is renewed. ms since 1970 */
  readonly until: number;
  readonly routers: readonly PresentRouter[];
}

/** The routers that are connected to other controllers on the store. Expiry is checked on reading, without a timer. */
export interface RemoteControllers {
  replace(controllers: readonly RemoteController[]): void;
  /** The connections of a router since this enrollment. */
  of(key: RouterKey): readonly PresentRouter[];
  all(): readonly PresentRouter[];
  /** True if a router is connected to any of them, by any enrollment. */
  has(routerId: string): boolean;
}

export const createRemoteControllers = (clock: Clock): RemoteControllers => {
  let controllers: readonly RemoteController[] = [];
  let byRouter = new Map<string, readonly { readonly by: RemoteController; readonly router: PresentRouter }[]>();
  const isCurrent = ({ until }: RemoteController): boolean => until > clock.now();
  return {
    replace: (next) => {
      controllers = next;
      const all = next.flatMap((by) => by.routers.map((router) => ({ by, router })));
      byRouter = Map.groupBy(all, ({ router }) => router.key.id);
    },
    of: ({ id, enrolledBy }) =>
      (byRouter.get(id) ?? []).flatMap(({ by, router }) => (isCurrent(by) && router.key.enrolledBy === enrolledBy ? [router] : [])),
    has: (routerId) => (byRouter.get(routerId) ?? []).some(({ by }) => isCurrent(by)),
    all: () => controllers.filter(isCurrent).flatMap(({ routers }) => routers),
  };
};
