import { apiSession } from '../contract/api/api-sessions.ts';
import type { RowOf } from '../contract/api/kit/resource.ts';
import { boundedCache } from '../runtime/platform/bounded-cache.ts';
import type { Platform } from '../runtime/platform/platform.ts';
import { createRepeatedLog } from '../runtime/platform/repeated-log.ts';
import type { Background } from '../store/jobs/background.ts';
import type { Store } from '../store/storage/port.ts';

/** Maximum number of sessions stored in one transaction. */
const BATCH_SIZE = 100;
/** Maximum number of sessions that wait to be stored; the activity of others is dropped until their next call. */
const MAX_WAITING = 10_000;
/** Maximum number of sessions whose latest activity is kept in memory, stored or not. */
const MAX_REMEMBERED = 10_000;
/** The latest activity of a session or API token, to be stored. */
interface PendingActivity {
  readonly kind: string;
  /** ISO text. */
  readonly at: string;
}

const ATTRIBUTION = { actor: 'system', requestId: 'activity' };

type StoredActivity = Pick<RowOf<typeof apiSession>, 'id' | 'lastActivityAt'>;

/**
 * Keeps the last activity of sessions and API tokens until it is stored. That happens after the answer, so that reads do not wait for a
 * write.
 */
export interface Activity {
  /**
   * Schedules the activity to be stored.
   * @param kind `apiToken` for an API token. Default: `apiSession`
   */
  note(sessionId: string, at: string, kind?: string): void;
  /** The latest activity of a session, which may not be stored yet. ISO text; null if there was none. */
  lastOf(session: StoredActivity): string | null;
  /** The session with its latest activity. */
  current<S extends StoredActivity>(session: S): S;
}

export const createActivity = (store: Store, background: Background, platform: Pick<Platform, 'clock' | 'logger'>): Activity => {
  const log = createRepeatedLog(platform);
  const waiting = new Map<string, PendingActivity>();
  // Kept after the write, too, because a transaction that began before it does not see the written value.
  const latest = boundedCache<string, string>(MAX_REMEMBERED);
  let isStoring = false;

  /** Writes without a revision or a change record. Skips sessions that have ended in the meantime. */
  const write = (sessions: readonly (readonly [id: string, PendingActivity])[]): Promise<void> =>
    store.transaction('write', async (tx) => {
      for (const [id, { kind, at: lastActivityAt }] of sessions) {
        const row = await tx.get(kind, id);
        if (row && String(row.lastActivityAt ?? '') < lastActivityAt) await tx.update(kind, { ...row, lastActivityAt }, row.version);
      }
    });

  const nextBatch = () => [...waiting].slice(0, BATCH_SIZE);

  const storeWaiting = async (): Promise<void> => {
    for (let sessions = nextBatch(); sessions.length > 0; sessions = nextBatch()) {
      try {
        await write(sessions);
      } catch (error) {
        // No longer the latest known activity, so that the next call of each session schedules it again.
        for (const [id, { at }] of sessions) if (latest.get(id) === at) latest.delete(id);
        log('warn', 'could not store the last activity of API sessions; the next call of each session stores it again', {
          sessions: sessions.length,
          error: String(error),
        });
      }
      for (const [id, pending] of sessions) if (waiting.get(id) === pending) waiting.delete(id);
    }
    isStoring = false;
  };

  const lastOf: Activity['lastOf'] = ({ id, lastActivityAt }) => {
    const at = latest.get(id);
    return at === undefined || at <= (lastActivityAt ?? '') ? lastActivityAt : at;
  };

  return {
    note: (sessionId, at, kind = apiSession.kind) => {
      if (waiting.size >= MAX_WAITING && !waiting.has(sessionId)) return;
      waiting.set(sessionId, { kind, at });
      latest.set(sessionId, at);
      if (isStoring) return;
      isStoring = true;
      // Rejects only if the controller is already closed.
      background.run(ATTRIBUTION, storeWaiting).catch(() => undefined);
    },
    lastOf,
    current: (session) => ({ ...session, lastActivityAt: lastOf(session) }),
  };
};
