import { isoTime } from '../../../platform/iso-time.ts';
import { after } from '../../../platform/timers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { rightFaults } from './authorization.ts';
import type { TrafficRight } from './right.ts';

/** As `time` of a right that was not judged: it is judged once it is added. */
export const NOT_JUDGED = -1;

/** The rights that terminators and circuits stand on, as long as they do. */
export interface StandingRights {
  /** The time before a right is judged: changes after it are held against the right once it is added. */
  readonly time: number;
  /**
   * @param judgedAt `time` before it was judged
   * @param end called once, when the right does not stand any more
   * @returns what lets go of it
   */
  add(right: TrafficRight, judgedAt: number, end: () => void): () => void;
  /**
   * Waits until a right that does not stand stands again; not beyond its API session, which does not come back.
   * @param begin called once, then
   * @returns what gives up waiting
   */
  awaitReturn(right: TrafficRight, begin: () => void): () => void;
}

/** Kinds of whose changes some take rights away. */
const KINDS = ['session', 'apiSession', 'identity', 'service', 'edgeRouter'] as const;

/** Likewise, and new ones may, too. Sessions that are stored end by themselves when posture does not pass any more, but tunnelers have none. */
const DEMANDING = ['servicePolicy', 'postureCheck', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const;

/** How often rights are looked at that end with time. ms */
const EVERY = 10_000;

/** Looks at all rights after each change that may take some away, and from time to time. One look at a time; changes meanwhile ask for another. */
export const watchRights = ({ core, events }: Pick<Fabric, 'core' | 'events'>): StandingRights => {
  const standing = new Map<TrafficRight, () => void>();
  const lost = new Map<TrafficRight, () => void>();
  let isLooking = false;
  let isDue = false;
  let changes = 0;

  const look = async (): Promise<void> => {
    const rights = [...standing.keys(), ...lost.keys()];
    const now = isoTime(core.platform.clock.now());
    const faults = await forRouters(core, (job) => job.read((entities) => rightFaults(entities, core, rights, now)));
    for (const [right, fault] of faults) {
      const act = fault ? standing.get(right) : lost.get(right);
      if (fault) standing.delete(right);
      if (!fault || fault === 'apiSession') lost.delete(right);
      act?.();
    }
  };

  const lookAgain = (): void => {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    const run = async () => {
      while (isDue && standing.size + lost.size > 0) {
        isDue = false;
        await look();
      }
    };
    run()
      .catch((error: unknown) => {
        core.platform.logger.warn('rights could not be looked at, which is tried again', { error });
      })
      .finally(() => {
        isLooking = false;
      });
  };

  const changed = (): void => {
    changes++;
    lookAgain();
  };
  for (const kind of DEMANDING) events.on(kind, changed);
  for (const kind of KINDS)
    events.on(kind, ({ action }) => {
      if (action !== 'create') changed();
    });
  let isTicking = false;
  const tick = (): void => {
    isTicking = standing.size + lost.size > 0;
    if (!isTicking) return;
    lookAgain();
    after(core.platform.clock, EVERY, tick);
  };
  return {
    get time() {
      return changes;
    },
    add: (right, judgedAt, end) => {
      standing.set(right, end);
      if (judgedAt !== changes) lookAgain();
      if (!isTicking) {
        isTicking = true;
        after(core.platform.clock, EVERY, tick);
      }
      return () => void standing.delete(right);
    },
    awaitReturn: (right, begin) => {
      lost.set(right, begin);
      lookAgain();
      return () => void lost.delete(right);
    },
  };
};
