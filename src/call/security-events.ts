import type { Attribution } from '../api/kit/attribution.ts';
import { securityEvent } from '../api/log-only-kinds.ts';
import type { Provenance } from '../changelog/log.ts';
import type { EntitiesContext, NewRow } from '../entities/entities.ts';
import type { Write } from '../entities/writer.ts';
import type { Background } from '../jobs/background.ts';
import { networkOf } from '../platform/addresses.ts';
import { monotonic, pause, systemClock } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';

/** Delay before events are recorded, so that no answer waits for them. Whoever reads the audit does not wait for it. ms */
const DELAY_MS = 10_000;
/**
 * Number of events of one type and one actor that are recorded at once. With `REFILL_MS`, an actor who does nothing else for a year is refused about as often as
 * the log has records by default: nobody pushes the changes of others out of it soon.
 */
const BURST = 100;
/** Interval after which one more may be recorded. ms */
const REFILL_MS = 600_000;
/** As `BURST`, of all actors together. What an actor has not done for a while is counted apart, so that it is recorded while others repeat themselves. */
const BURST_OF_ALL = 1000;
const REFILL_OF_ALL_MS = 300_000;
/** Maximum number of actors with a bucket of their own, for each type; further ones share one. */
const MAX_ACTORS = 1000;

const ORIGIN = { actor: 'system', requestId: 'security-events' };

type EventType = NewRow<typeof securityEvent>['type'];

/** The part of a call that a record needs. */
interface Attributed {
  readonly attribution: Attribution;
  readonly provenance: Provenance;
}

/** Records attempts that were refused in the change log, within bounds. */
export interface SecurityEvents {
  /** Schedules an attempt to be recorded. @param identityId the identity that the caller is, or tried to be. @param code the error code of the refusal */
  note(call: Attributed, type: EventType, code: string, identityId: string | undefined): void;
  /** Records what is scheduled. Never rejects. */
  flush(): Promise<void>;
}

interface Waiting {
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
  let waiting: Waiting[] = [];
  let work = Promise.resolve();
  let isScheduled = false;

  const recordAll = async (): Promise<void> => {
    const due = waiting;
    waiting = [];
    for (const { context, event } of due)
      await write(context, undefined, (entities) => entities.insert(securityEvent, event)).catch((error: unknown) =>
        log('warn', 'a refused attempt could not be recorded', { error: String(error) }),
      );
  };
  const flush = () => (work = work.then(recordAll));

  return {
    note: ({ attribution, provenance }, type, code, identityId) => {
      const { actor } = attribution;
      // A stranger names whom it likes, so its address counts.
      const omitted = admit(type, actor === 'anonymous' ? `from ${networkOf(provenance.address ?? '')}` : actor);
      if (omitted === undefined) return;
      // Nobody without a session writes a text of their own into the log.
      const said = actor === 'anonymous' ? { ...attribution, reason: undefined } : attribution;
      waiting.push({
        context: { ...common, ...said, provenance: { ...provenance, isReserved: true } },
        event: { type, code, identityId: identityId ?? null, omitted },
      });
      if (isScheduled) return;
      isScheduled = true;
      const delayed = async ({ signal }: { readonly signal: AbortSignal }) => {
        await pause(systemClock, DELAY_MS, signal);
        isScheduled = false;
        await flush();
      };
      // This rejects only if the controller is already closed.
      background.run(ORIGIN, delayed).catch(() => undefined);
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
 * Token buckets, per type and actor. The function returns the number of events dropped since the last admitted one of the same bucket, or undefined if this one
 * must be dropped.
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
