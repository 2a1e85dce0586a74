import type { Clock } from '../platform/platform.ts';
import type { PresentRouter, RouterKey } from './present-router.ts';

/** The routers of another controller. */
export interface RemoteController {
  /** The time at which this information expires unless it is renewed. ms since 1970 */
  readonly until: number;
  readonly routers: readonly PresentRouter[];
}

/** The routers that are connected to other controllers on the store. Expiry is checked on reading, without a timer. */
export interface RemoteControllers {
  replace(controllers: readonly RemoteController[]): void;
  /** The connections of a router under this enrollment. */
  of(key: RouterKey): readonly PresentRouter[];
  all(): readonly PresentRouter[];
  /** True if a router is connected to any of them, under any enrollment. */
  has(routerId: string): boolean;
}

export const createRemoteControllers = (clock: Clock): RemoteControllers => {
  let controllers: readonly RemoteController[] = [];
  let byRouter = new Map<string, readonly { readonly controller: RemoteController; readonly router: PresentRouter }[]>();
  const isCurrent = ({ until }: RemoteController): boolean => until > clock.now();
  return {
    replace: (next) => {
      controllers = next;
      const all = next.flatMap((controller) => controller.routers.map((router) => ({ controller, router })));
      byRouter = Map.groupBy(all, ({ router }) => router.key.id);
    },
    of: ({ id, enrolledBy }) =>
      (byRouter.get(id) ?? []).flatMap(({ controller, router }) =>
        isCurrent(controller) && router.key.enrolledBy === enrolledBy ? [router] : [],
      ),
    has: (routerId) => (byRouter.get(routerId) ?? []).some(({ controller }) => isCurrent(controller)),
    all: () => controllers.filter(isCurrent).flatMap(({ routers }) => routers),
  };
};
