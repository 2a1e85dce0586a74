import { after, isoTime } from '../../runtime/platform/clock.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type Authorization, denialsOf } from './authorization.ts';

/** The `checkedAt` of an authorization that has not been checked yet: `watch` checks it immediately. */
export const UNCHECKED = -1;

/** Watches the authorizations of terminators and circuits while these exist. */
export interface Authorizations {
  /**
   * Counts changes. Callers read it before they check an authorization, and pass it to `watch`, which checks again if there have been
   * changes since.
   */
  readonly generation: number;
  /**
   * @param checkedAt `generation` before the authorization was checked
   * @param onLapse called once, when the authorization is denied
   * @returns a function that stops watching
   */
  watch(authorization: Authorization, checkedAt: number, onLapse: () => void): () => void;
  /**
   * Waits until a lapsed authorization is granted again. Gives up when its API session has ended.
   * @param onRenewal called once, when the authorization is granted
   * @returns a function that stops waiting
   */
  awaitRenewal(authorization: Authorization, onRenewal: () => void): () => void;
}

/** Kinds whose updates and deletions can affect an authorization, but not their creation. */
const UPDATED_KINDS = ['session', 'apiSession', 'identity', 'service', 'edgeRouter'] as const;

/** Kinds whose creation can also affect an authorization. For example, a new posture check can deny a tunneler. */
const CREATED_KINDS = ['servicePolicy', 'postureCheck', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const;

/** Interval of periodic checks: authorizations may expire without a change. ms */
const INTERVAL = 10_000;

/**
 * Checks all authorizations periodically, and after each change that may matter. Checks do not overlap: changes during a check trigger
 * another one.
 */
export const watchAuthorizations = ({ core, events }: Pick<Fabric, 'core' | 'events'>): Authorizations => {
  const granted = new Map<Authorization, () => void>();
  const lapsed = new Map<Authorization, () => void>();
  let isChecking = false;
  let isDue = false;
  let isTicking = false;
  let generation = 0;

  const checkAll = async (): Promise<void> => {
    const all = [...granted.keys(), ...lapsed.keys()];
    const now = isoTime(core.platform.clock.now());
    const denials = await forRouters(core, (job) => job.read((entities) => denialsOf(entities, core, all, now)));
    for (const [authorization, reason] of denials) {
      const notify = reason ? granted.get(authorization) : lapsed.get(authorization);
      if (reason) granted.delete(authorization);
      if (!reason || reason === 'apiSession') lapsed.delete(authorization);
      notify?.();
    }
  };
  const check = (): void => {
    isDue = true;
    if (isChecking) return;
    isChecking = true;
    const run = async () => {
      while (isDue && granted.size + lapsed.size > 0) {
        isDue = false;
        await checkAll();
      }
    };
    run()
      .catch((error: unknown) => {
        const message = `authorizations of circuits and terminators could not be checked; trying again within ${INTERVAL / 1000} s`;
        core.platform.logger.warn(message, { error });
      })
      .finally(() => {
        isChecking = false;
      });
  };
  const onChange = (): void => {
    generation++;
    check();
  };
  for (const kind of CREATED_KINDS) events.on(kind, onChange);
  for (const kind of UPDATED_KINDS)
    events.on(kind, ({ action }) => {
      if (action !== 'create') onChange();
    });
  const tick = (): void => {
    isTicking = granted.size + lapsed.size > 0;
    if (!isTicking) return;
    check();
    after(core.platform.clock, INTERVAL, tick);
  };
  return {
    get generation() {
      return generation;
    },
    watch: (authorization, checkedAt, onLapse) => {
      granted.set(authorization, onLapse);
      if (checkedAt !== generation) check();
      if (!isTicking) {
        isTicking = true;
        after(core.platform.clock, INTERVAL, tick);
      }
      return () => void granted.delete(authorization);
    },
    awaitRenewal: (authorization, onRenewal) => {
      lapsed.set(authorization, onRenewal);
      check();
      return () => void lapsed.delete(authorization);
    },
  };
};
