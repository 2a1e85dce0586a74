/** The lifetime of API sessions: until they are idle for the timeout or, for sessions with signed tokens, until the last token expires. */

import type { apiSession } from '../../contract/api/api-sessions.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { booleanField, dateField, equals, not, or, type Predicate } from '../../query/index.ts';
import { isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import type { Core } from '../core.ts';
import type { Settings } from '../settings.ts';

/** Minimum interval between writes of a session's activity. ms */
const TOUCH_INTERVAL = 30_000;

const timeoutMs = (settings: Settings): number => settings.sessionTimeoutMinutes * MINUTE;

/** Sessions whose last activity is at or before this time have ended. ISO text. */
export const idleSince = (settings: Settings, now: string): string => isoTime(Date.parse(now) - timeoutMs(settings));

/** Selects the sessions that have ended or, with `isLive`, those that have not. */
const sessionsBy = (settings: Settings, now: string, isLive: boolean): Predicate => {
  const is = isLive ? '>' : '<=';
  return or(
    { op: 'compare', field: dateField('lastActivityAt'), is, value: idleSince(settings, now) },
    { op: 'compare', field: dateField('endsAt'), is, value: now },
  );
};

/** Selects the sessions that have ended but are still stored. */
export const endedSessions = (settings: Settings, now: string): Predicate => sessionsBy(settings, now, false);

/** Selects the sessions that have not ended. */
export const liveSessions = (settings: Settings, now: string): Predicate => sessionsBy(settings, now, true);

/** Selects the sessions that appear in lists: those without signed tokens. */
export const LISTED: Predicate = not(equals(booleanField('isBearer'), true));

/** True if a session, with its latest activity, has ended. */
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

/** True if the latest activity of a session, or of an API token, is old enough to be updated. */
export const needsTouch = (
  { settings, activity }: Pick<Core, 'settings' | 'activity'>,
  session: Pick<RowOf<typeof apiSession>, 'id' | 'lastActivityAt' | 'createdAt'>,
  now: string,
): boolean =>
  Date.parse(now) - Date.parse(activity.lastOf(session) ?? session.createdAt) >= Math.min(TOUCH_INTERVAL, timeoutMs(settings) / 4);
