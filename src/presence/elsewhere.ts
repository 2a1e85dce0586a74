import type { Clock } from '../platform/platform.ts';
import type { PresentRouter, RouterKey } from './connections.ts';

/** What another controller says of the routers that are connected to it. */
export interface OtherController {
  /** It is believed until then, unless it says so again. ms since 1970 */
  readonly until: number;
  readonly routers: readonly PresentRouter[];
}

/** The routers that are connected to other controllers on the store. */
export interface Elsewhere {
  /** From now on, these are the other controllers, and there are no more. */
  take(others: readonly OtherController[]): void;
  /** The connections of a router since this enrollment. */
  of(key: RouterKey): readonly PresentRouter[];
  all(): readonly PresentRouter[];
  /** Whether a router is connected to any of them, since whichever enrollment. */
  has(routerId: string): boolean;
}

/** That a controller has not been heard of for too long is seen on reading: no timer is needed. */
export const createElsewhere = (clock: Clock): Elsewhere => {
  let others: readonly OtherController[] = [];
  let byRouter = new Map<string, readonly { readonly by: OtherController; readonly router: PresentRouter }[]>();
  const isThere = ({ until }: OtherController): boolean => until > clock.now();
  return {
    take: (taken) => {
      others = taken;
      const all = taken.flatMap((by) => by.routers.map((router) => ({ by, router })));
      byRouter = Map.groupBy(all, ({ router }) => router.key.id);
    },
    of: ({ id, enrolledBy }) =>
      (byRouter.get(id) ?? []).flatMap(({ by, router }) => (isThere(by) && router.key.enrolledBy === enrolledBy ? [router] : [])),
    has: (routerId) => (byRouter.get(routerId) ?? []).some(({ by }) => isThere(by)),
    all: () => others.filter(isThere).flatMap(({ routers }) => routers),
  };
};
