import type { Attribution } from '../contract/api/kit/attribution.ts';
import { securityEvent } from '../contract/api/log-only-kinds.ts';
import { networkOf } from '../runtime/platform/addresses.ts';
import { monotonic, pause, systemClock } from '../runtime/platform/clock.ts';
import type { Platform } from '../runtime/platform/platform.ts';
import { createRepeatedLog } from '../runtime/platform/repeated-log.ts';
import type { Provenance } from '../store/changelog/log.ts';
import type { EntitiesContext, NewRow } from '../store/entities/entities.ts';
import type { Write } from '../store/entities/writer.ts';
import type { Background } from '../store/jobs/background.ts';

/** Delay before events are recorded, so that no answer waits for them. Readers of the audit flush them first. ms */
const DELAY_MS = 10_000;
/**
 * Capacity of the token bucket of one actor, per type of event. With `REFILL_MS`, a single actor takes about a year to fill a change log of
 * default size, so nobody displaces the changes of others soon.
 */
const BURST = 100;
/** Interval after which a bucket gains one token. ms */
const REFILL_MS = 600_000;
/**
 * Capacity of each of the two buckets that all actors share, per type: one for first events, one for repeated events. So the first event of
 * an actor is recorded even while others cause many.
 */
const BURST_OF_ALL = 1000;
const REFILL_OF_ALL_MS = 300_000;
/** Maximum number of actors with a bucket of their own, per type; further actors share one. */
const MAX_ACTORS = 1000;

const ATTRIBUTION = { actor: 'system', requestId: 'security-events' };

type EventType = NewRow<typeof securityEvent>['type'];

/** The part of a call that a record needs. */
interface Attributed {
  readonly attribution: Attribution;
  readonly provenance: Provenance;
}

/** Records refused attempts in the change log, at a limited rate. */
export interface SecurityEvents {
  /**
   * Schedules an attempt to be recorded.
   * @param code the error code of the refusal
   * @param identityId the identity of the caller, or the one that it tried to log in as
   */
  note(call: Attributed, type: EventType, code: string, identityId: string | undefined): void;
  /** Records all scheduled attempts. Never rejects. */
  flush(): Promise<void>;
}

interface PendingEvent {
  readonly context: EntitiesContext;
  readonly event: NewRow<typeof securityEvent>;
}

/** @param common the context of the writes, without their attribution */
export const createSecurityEvents = (
  background: Background,
  write: Write,
  common: Omit<EntitiesContext, 'actor' | 'requestId'>,
  platform: Pick<Platform, 'clock' | 'logger'>,
): SecurityEvents => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const admit = createBuckets(() => monotonic(clock));
  let pending: PendingEvent[] = [];
  let lastFlush = Promise.resolve();
  let isScheduled = false;

  const recordPending = async (): Promise<void> => {
    const events = pending;
    pending = [];
    for (const { context, event } of events)
      await write(context, undefined, (entities) => entities.insert(securityEvent, event)).catch((error: unknown) =>
        log('warn', 'could not record a refused attempt', { error: String(error) }),
      );
  };
  const flush = () => (lastFlush = lastFlush.then(recordPending));

  return {
    note: ({ attribution, provenance }, type, code, identityId) => {
      const { actor } = attribution;
      // An unauthenticated client can claim any name, so it is counted by its address.
      const omitted = admit(type, actor === 'anonymous' ? `from ${networkOf(provenance.address ?? '')}` : actor);
      if (omitted === undefined) return;
      // Unauthenticated clients must not write a text of their choice to the log.
      const recorded = actor === 'anonymous' ? { ...attribution, reason: undefined } : attribution;
      pending.push({
        context: { ...common, ...recorded, provenance: { ...provenance, isReserved: true } },
        event: { type, code, identityId: identityId ?? null, omitted },
      });
      if (isScheduled) return;
      isScheduled = true;
      const delayed = async ({ signal }: { readonly signal: AbortSignal }) => {
        await pause(systemClock, DELAY_MS, signal);
        isScheduled = false;
        await flush();
      };
      // Rejects only if the controller is already closed.
      background.run(ATTRIBUTION, delayed).catch(() => undefined);
    },
    flush,
  };
};

interface Bucket {
  used: number;
  last: number;
  /** Number of events that were dropped since the last admitted one. */
  omitted: number;
}

interface Buckets {
  readonly actors: Map<string, Bucket>;
  readonly first: Bucket;
  readonly repeated: Bucket;
}

/**
 * Token buckets, per type and actor. The function returns the number of events dropped since the last admitted one of the same bucket, or
 * undefined if this one must be dropped.
 */
const createBuckets = (now: () => number): ((type: string, actor: string) => number | undefined) => {
  const types = new Map<string, Buckets>();
  const fresh = (): Bucket => ({ used: 0, last: now(), omitted: 0 });
  const refill = (bucket: Bucket, every: number): void => {
    const at = now();
    bucket.used = Math.max(0, bucket.used - Math.max(0, at - bucket.last) / every);
    bucket.last = at;
  };
  const bucketOf = (actors: Map<string, Bucket>, actor: string): Bucket => {
    const known = actors.get(actor);
    if (known) return known;
    const shared = actors.get(OTHERS) ?? fresh();
    actors.set(OTHERS, shared);
    if (actors.size > MAX_ACTORS)
      for (const [name, bucket] of actors) {
        refill(bucket, REFILL_MS);
        if (bucket.used > 0 || bucket === shared) continue;
        shared.omitted += bucket.omitted;
        actors.delete(name);
      }
    if (actors.size > MAX_ACTORS) return shared;
    const own = fresh();
    actors.set(actor, own);
    return own;
  };
  return (type, actor) => {
    const { actors, first, repeated } = types.get(type) ?? { actors: new Map<string, Bucket>(), first: fresh(), repeated: fresh() };
    types.set(type, { actors, first, repeated });
    const bucket = bucketOf(actors, actor);
    refill(bucket, REFILL_MS);
    const common = bucket.used === 0 ? first : repeated;
    refill(common, REFILL_OF_ALL_MS);
    if (bucket.used + 1 > BURST || common.used + 1 > BURST_OF_ALL) {
      bucket.omitted++;
      return undefined;
    }
    bucket.used++;
    common.used++;
    const { omitted } = bucket;
    bucket.omitted = 0;
    return omitted;
  };
};

/** The name of the bucket that actors without one of their own share: no actor has it. */
const OTHERS = '';
