import { apiSession } from '../api/api-sessions.ts';
import type { Background } from '../jobs/background.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import type { Store } from '../storage/port.ts';

/** Maximum number of sessions stored in one transaction. */
const BATCH_SIZE = 100;
/** Maximum number of sessions that wait to be stored; the activity of others is dropped until their next call. */
const MAX_WAITING = 10_000;
/** Maximum number of sessions whose latest activity is kept in memory, stored or not. */
const MAX_REMEMBERED = 10_000;
/** A time, and the kind of what was active then. */
interface Noted {
  readonly kind: string;
  readonly at: string;
}

const ATTRIBUTION = { actor: 'system', requestId: 'activity' };

/** Keeps the last activity of sessions, and of API tokens, until it is stored. It is stored after the answer, so that reads do not wait for a write. */
export interface Activity {
  /** Schedules the activity to be stored. @param kind that of the session; default `apiSession` */
  note(sessionId: string, at: string, kind?: string): void;
  /** The session with its latest activity, which may not be stored yet. */
  current<S extends { readonly id: string; readonly lastActivityAt: string | null }>(session: S): S;
}

export const createActivity = (store: Store, background: Background, platform: Pick<Platform, 'clock' | 'logger'>): Activity => {
  const log = createRepeatedLog(platform);
  const waiting = new Map<string, Noted>();
  // Kept after the write, too, because a transaction that began before does not see the written value.
  const latest = boundedCache<string, string>(MAX_REMEMBERED);
  let isWorking = false;

  /** Writes without a revision or a change record. Skips sessions that have ended in the meantime. */
  const write = (sessions: readonly (readonly [string, Noted])[]): Promise<void> =>
    store.transaction('write', async (tx) => {
      for (const [id, { kind, at: lastActivityAt }] of sessions) {
        const row = await tx.get(kind, id);
        if (row && String(row.lastActivityAt ?? '') < lastActivityAt) await tx.update(kind, { ...row, lastActivityAt }, row.version);
      }
    });

  const storeWaiting = async (): Promise<void> => {
    for (let sessions = nextBatch(); sessions.length > 0; sessions = nextBatch()) {
      try {
        await write(sessions);
      } catch (error) {
        // Forgotten, so that the next call of each session schedules it again.
        for (const [id, { at }] of sessions) if (latest.get(id) === at) latest.delete(id);
        log('warn', 'could not store the last activity of API sessions; the next call of each session stores it again', {
          sessions: sessions.length,
          error: String(error),
        });
      }
      for (const [id, noted] of sessions) if (waiting.get(id) === noted) waiting.delete(id);
    }
    isWorking = false;
  };
  const nextBatch = () => [...waiting].slice(0, BATCH_SIZE);

  return {
    note: (sessionId, at, kind = apiSession.kind) => {
      if (waiting.size >= MAX_WAITING && !waiting.has(sessionId)) return;
      waiting.set(sessionId, { kind, at });
      latest.set(sessionId, at);
      if (isWorking) return;
      isWorking = true;
      // This rejects only if the controller is already closed.
      background.run(ATTRIBUTION, storeWaiting).catch(() => undefined);
    },
    current: (session) => {
      const at = latest.get(session.id);
      return at === undefined || at <= (session.lastActivityAt ?? '') ? session : { ...session, lastActivityAt: at };
    },
  };
};
