import type { Attribution } from '../api/kit/attribution.ts';
import { securityEvent } from '../api/log-only-kinds.ts';
import type { Provenance } from '../changelog/log.ts';
import type { EntitiesContext, NewRow } from '../entities/entities.ts';
import type { Write } from '../entities/writer.ts';
import type { Background } from '../jobs/background.ts';
import { monotonic, pause, systemClock } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';

/** Delay before events are recorded, so that no answer waits for them. Whoever reads the audit does not wait for it. ms */
const DELAY_MS = 10_000;
/**
 * Number of events of one type that are recorded at once. With `REFILL_MS`, a stranger who does nothing else for a year is refused about as often as the log has
 * records by default: nobody pushes the changes of others out of it soon.
 */
const BURST = 100;
/** Interval after which one more may be recorded. ms */
const REFILL_MS = 600_000;

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
      const omitted = admit(type);
      if (omitted === undefined) return;
      // Nobody without a session writes a text of their own into the log.
      const said = attribution.actor === 'anonymous' ? { ...attribution, reason: undefined } : attribution;
      waiting.push({ context: { ...common, ...said, provenance }, event: { type, code, identityId: identityId ?? null, omitted } });
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

/** A token bucket per type. The function returns the number of events dropped since the last admitted one, or undefined if this one must be dropped. */
const createBuckets = (now: () => number): ((type: string) => number | undefined) => {
  const buckets = new Map<string, { used: number; last: number; omitted: number }>();
  return (type) => {
    const at = now();
    const bucket = buckets.get(type) ?? { used: 0, last: at, omitted: 0 };
    buckets.set(type, bucket);
    bucket.used = Math.max(0, bucket.used - Math.max(0, at - bucket.last) / REFILL_MS);
    bucket.last = at;
    if (bucket.used + 1 > BURST) {
      bucket.omitted++;
      return undefined;
    }
    bucket.used++;
    const { omitted } = bucket;
    bucket.omitted = 0;
    return omitted;
  };
};
