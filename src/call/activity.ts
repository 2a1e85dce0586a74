import { apiSession } from '../api/api-sessions.ts';
import type { Background } from '../jobs/background.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import type { Store } from '../storage/port.ts';

/** Sessions stored in one transaction. */
const AT_ONCE = 100;
/** Sessions that may wait for it; the next call of another notes its activity again. */
const MOST_WAITING = 10_000;
/** Sessions whose activity is remembered, written or not. */
const MOST_REMEMBERED = 10_000;
const ATTRIBUTION = { actor: 'system', requestId: 'activity' };

/** The last activity of sessions until it is stored, which happens after the answer, so that no reader waits for a writer. */
export interface Activity {
  /** Schedules the activity to be stored. */
  note(sessionId: string, at: string): void;
  /** The session with its latest activity, which the state that it was read from may not hold yet. */
  current<S extends { readonly id: string; readonly lastActivityAt: string | null }>(session: S): S;
}

export const createActivity = (store: Store, background: Background, platform: Pick<Platform, 'clock' | 'logger'>): Activity => {
  const log = createRepeatedLog(platform);
  const waiting = new Map<string, string>();
  // Kept after the write, too, because a transaction that began before does not see the written value.
  const latest = boundedCache<string, string>(MOST_REMEMBERED);
  let isWorking = false;

  /** Volatile: no revision, no change record. A session that has ended in between stays ended. */
  const write = (sessions: readonly (readonly [string, string])[]): Promise<void> =>
    store.transaction('write', async (tx) => {
      for (const [id, lastActivityAt] of sessions) {
        const row = await tx.get(apiSession.kind, id);
        if (row && String(row.lastActivityAt ?? '') < lastActivityAt)
          await tx.update(apiSession.kind, { ...row, lastActivityAt }, row.version);
      }
    });

  const work = async (): Promise<void> => {
    for (let sessions = next(); sessions.length > 0; sessions = next()) {
      try {
        await write(sessions);
      } catch (error) {
        // The next call of each session notes it again.
        for (const [id, at] of sessions) if (latest.get(id) === at) latest.delete(id);
        log('warn', 'could not store the last activity of API sessions; the next call of each session stores it again', {
          sessions: sessions.length,
          error: String(error),
        });
      }
      for (const [id, at] of sessions) if (waiting.get(id) === at) waiting.delete(id);
    }
    isWorking = false;
  };
  const next = () => [...waiting].slice(0, AT_ONCE);

  return {
    note: (sessionId, at) => {
      if (waiting.size >= MOST_WAITING && !waiting.has(sessionId)) return;
      waiting.set(sessionId, at);
      latest.set(sessionId, at);
      if (isWorking) return;
      isWorking = true;
      // It fails only if the controller is already closed.
      background.run(ATTRIBUTION, work).catch(() => undefined);
    },
    current: (session) => {
      const at = latest.get(session.id);
      return at === undefined || at <= (session.lastActivityAt ?? '') ? session : { ...session, lastActivityAt: at };
    },
  };
};
