/** How long API sessions live: as long as they are used, or, where signed tokens stand for them, as long as the last of these. */

import type { apiSession } from '../api/api-sessions.ts';
import type { RowOf } from '../api/kit/index.ts';
import type { Settings } from '../call/settings.ts';
import { isoTime, MINUTE } from '../platform/clock.ts';
import { booleanField, dateField, equals, not, or, type Predicate } from '../query/index.ts';

/** A session's activity is written at most this often: between, it is known to be live anyway. ms */
const TOUCH_EVERY = 30_000;

const timeoutMs = (settings: Settings): number => settings.sessionTimeoutMinutes * MINUTE;

/** Sessions whose last activity is not after this have ended. ISO text. */
export const idleSince = (settings: Settings, now: string): string => isoTime(Date.parse(now) - timeoutMs(settings));

/** The sessions that have ended, or (`isLive`) that have not. */
const sessionsBy = (settings: Settings, now: string, isLive: boolean): Predicate => {
  const is = isLive ? '>' : '<=';
  return or(
    { op: 'compare', field: dateField('lastActivityAt'), is, value: idleSince(settings, now) },
    { op: 'compare', field: dateField('endsAt'), is, value: now },
  );
};

/** The sessions that have ended, though they are still stored. */
export const endedSessions = (settings: Settings, now: string): Predicate => sessionsBy(settings, now, false);

/** The sessions that live. */
export const liveSessions = (settings: Settings, now: string): Predicate => sessionsBy(settings, now, true);

/** The sessions that stand in lists: those whose tokens are no signed ones. */
export const LISTED: Predicate = not(equals(booleanField('isBearer'), true));

/** True if a stored session has ended. */
export const hasEnded = (
  settings: Settings,
  { lastActivityAt, endsAt }: Pick<RowOf<typeof apiSession>, 'lastActivityAt' | 'endsAt'>,
  now: string,
): boolean => (endsAt === null || endsAt === undefined ? (lastActivityAt ?? '') <= idleSince(settings, now) : endsAt <= now);

/** When a session ends unless it is used. */
export const expiry = (settings: Settings, lastActivityAt: string): { readonly expirationSeconds: number; readonly expiresAt: string } => ({
  expirationSeconds: timeoutMs(settings) / 1000,
  expiresAt: isoTime(Date.parse(lastActivityAt) + timeoutMs(settings)),
});

/** True if the stored activity of a session is old enough to be updated. */
export const needsTouch = (settings: Settings, session: RowOf<typeof apiSession>, now: string): boolean =>
  Date.parse(now) - Date.parse(session.lastActivityAt ?? session.createdAt) >= Math.min(TOUCH_EVERY, timeoutMs(settings) / 4);
