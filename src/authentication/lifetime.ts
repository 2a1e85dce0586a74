/** How long API sessions live: as long as they are used. */

import type { apiSession } from '../api/api-sessions.ts';
import type { RowOf } from '../api/kit/resource.ts';
import type { Settings } from '../call/settings.ts';
import { MINUTE } from '../platform/durations.ts';

/** A session's activity is written at most this often: between, it is known to be live anyway. ms */
const TOUCH_EVERY = 30_000;

const timeoutMs = (settings: Settings): number => settings.sessionTimeoutMinutes * MINUTE;

/** Sessions whose last activity is not after this have ended. ISO text. */
export const idleSince = (settings: Settings, now: string): string => new Date(Date.parse(now) - timeoutMs(settings)).toISOString();

/** When a session ends unless it is used. */
export const expiry = (settings: Settings, lastActivityAt: string): { readonly expirationSeconds: number; readonly expiresAt: string } => ({
  expirationSeconds: timeoutMs(settings) / 1000,
  expiresAt: new Date(Date.parse(lastActivityAt) + timeoutMs(settings)).toISOString(),
});

/** Whether the activity of a session is worth writing down again. */
export const needsTouch = (settings: Settings, session: RowOf<typeof apiSession>, now: string): boolean =>
  Date.parse(now) - Date.parse(session.lastActivityAt ?? session.createdAt) >= Math.min(TOUCH_EVERY, timeoutMs(settings) / 4);
