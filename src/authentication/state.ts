import { authPolicy } from '../api/auth-policies.ts';
import { authenticator } from '../api/authenticators.ts';
import { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import { type AuthQuery, apiSession } from '../api/sessions.ts';
import type { Activity } from '../call/activity.ts';
import type { SessionActor, TokenProof } from '../call/actor.ts';
import type { Settings } from '../call/settings.ts';
import type { Entities } from '../changes/entities.ts';
import { date, equals, text } from '../query/index.ts';
import { removeEntity } from '../resources/removal.ts';
import { hashToken } from '../resources/symbols.ts';
import { owedToken } from './second-factor.ts';

type Session = RowOf<typeof apiSession>;
type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof authPolicy>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MINUTE = 60_000;
/** A session's activity is written at most this often: between, it is known to be live anyway. ms */
const TOUCH_EVERY = 30_000;

export const timeoutMs = (settings: Settings): number => settings.sessionTimeoutMinutes * MINUTE;

/** Sessions whose last activity is not after this have ended. ISO text. */
export const idleSince = (settings: Settings, now: string): string => new Date(Date.parse(now) - timeoutMs(settings)).toISOString();

/** When a session ends unless it is used. */
export const expiry = (settings: Settings, lastActivityAt: string): { readonly expirationSeconds: number; readonly expiresAt: string } => ({
  expirationSeconds: timeoutMs(settings) / 1000,
  expiresAt: new Date(Date.parse(lastActivityAt) + timeoutMs(settings)).toISOString(),
});

/**
 * Whom a token stands for, judged by the state of this transaction: the session is there and not idle for too long, its identity is
 * there and not disabled. Whatever is amiss, the answer is the same: nobody.
 */
export const actorOfToken = async (
  entities: Entities,
  settings: Settings,
  token: string,
  now: string,
  activity: Pick<Activity, 'current'>,
): Promise<SessionActor | undefined> => {
  if (!UUID.test(token)) return undefined;
  const session = await entities.find(apiSession, equals(text('tokenHash'), hashToken(token)));
  return session && actorOfSession(entities, settings, activity.current(session), token, now);
};

/** The same for a session whose row is at hand. */
export const actorOfSession = async (
  entities: Entities,
  settings: Settings,
  session: Session,
  token: string,
  now: string,
  proofs: readonly TokenProof[] = [],
): Promise<SessionActor | undefined> => {
  if ((session.lastActivityAt ?? '') <= idleSince(settings, now)) return undefined;
  const owner = await entities.get(identity, session.identityId);
  if (!owner || isDisabled(owner, now)) return undefined;
  return sessionActor(entities, session, owner, token, proofs);
};

/** A session's actor, with what it owes now. */
export const sessionActor = async (
  entities: Entities,
  session: Session,
  owner: Identity,
  token: string,
  proofs: readonly TokenProof[] = [],
): Promise<SessionActor> => {
  const policy = await entities.get(authPolicy, owner.authPolicyId);
  const authQueries = policy ? [...owedFactors(session, policy), ...(await owedToken(entities, owner, policy, proofs))] : [];
  return { kind: 'session', session, identity: owner, authQueries, token, proofs };
};

export const isDisabled = (row: Pick<Identity, 'disabledAt' | 'disabledUntil'>, now: string): boolean =>
  row.disabledAt !== null && (row.disabledUntil === null || row.disabledUntil > now);

/**
 * Whether the session owes a code. A login that found MFA enrolled owes one until it is given. A policy that requires TOTP wants one of the MFA that
 * the identity has now: with that ended, it is owed again.
 */
export const owesCode = (session: Session, { secondary }: Pick<Policy, 'secondary'>): boolean =>
  secondary.requireTotp ? !session.mfaPassedAt : session.isMfaRequired === true && !session.isMfaComplete;

/** What the session owes under the policy as it is now: a change of policy holds for running sessions too. */
export const owedFactors = (session: Session, policy: Policy): readonly AuthQuery[] =>
  owesCode(session, policy)
    ? [
        {
          typeId: 'MFA',
          provider: 'ziti',
          httpMethod: 'POST',
          httpUrl: './authenticate/mfa',
          format: 'alphaNumeric',
          minLength: 4,
          maxLength: 6,
          scopes: null,
        },
      ]
    : [];

/** Whether the activity of a session is worth writing down again. */
export const needsTouch = (settings: Settings, session: Session, now: string): boolean =>
  Date.parse(now) - Date.parse(session.lastActivityAt ?? session.createdAt) >= Math.min(TOUCH_EVERY, timeoutMs(settings) / 4);

/** Ends sessions, with all that hangs on them. */
export const endSessions = async (entities: Entities, sessions: readonly Session[]): Promise<void> => {
  // As `crudHandlers` does it: of a kind only its table is looked at.
  for (const session of sessions) await removeEntity(entities, apiSession as never, session as never);
};

export const sessionsOf = (entities: Entities, identityId: string): Promise<readonly Session[]> =>
  entities.list(apiSession, { where: equals(text('identityId'), identityId) });

/** Some of the sessions that ended by idling: each login tidies a few, so that none pile up. */
export const someIdleSessions = (entities: Entities, settings: Settings, now: string): Promise<readonly Session[]> =>
  entities.list(apiSession, {
    where: { op: 'compare', field: date('lastActivityAt'), is: '<=', value: idleSince(settings, now) },
    sort: [{ field: date('lastActivityAt'), descending: false }],
    limit: 10,
  });

export const authenticatorOf = (entities: Entities, username: string): Promise<RowOf<typeof authenticator> | undefined> =>
  entities.find(authenticator, equals(text('username'), username));
