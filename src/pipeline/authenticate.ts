import type { Operation } from '../api/kit/operation.ts';
import { apiSession } from '../api/sessions.ts';
import type { Actor, SessionActor } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import { accompanied } from '../domain/external-jwt-signers/second-factor.ts';
import { actorOfToken, expiry, needsTouch } from '../domain/sessions/state.ts';
import { unauthorized } from '../errors/index.ts';
import { StorageError } from '../storage/errors.ts';

type Early = Omit<Call, 'actor'>;

export interface Caller {
  readonly actor: Actor;
  /** The session whose activity is to be written down, once the call is over. */
  readonly active?: SessionActor['session'];
}

/**
 * Who calls. Operations open to anybody look at no token, so that a stale one does no harm there.
 * @throws ApiError `UNAUTHORIZED`: with a cause when nothing was presented, without when it is not good
 */
export const authenticate = async (call: Early, operation: Operation): Promise<Caller> => {
  const { credentials, core } = call;
  if (credentials.kind === 'system') return { actor: { kind: 'system' } };
  if (operation.permission === 'open') return { actor: { kind: 'anonymous' } };
  if (credentials.kind === 'none' || credentials.token === undefined)
    throw unauthorized('no session token was presented: send the header zt-session');
  const { token } = credentials;
  const now = call.now();
  const known = await call.read((entities) => actorOfToken(entities, core.settings, token, now));
  if (!known) throw unauthorized();
  const actor = await accompanied(call, known);
  const { expirationSeconds, expiresAt } = expiry(core.settings, now);
  call.answerHeaders.set('expiration-seconds', String(expirationSeconds)).set('expires-at', expiresAt);
  const session = { ...actor.session, lastActivityAt: now };
  return { actor: { ...actor, session }, ...(needsTouch(core.settings, actor.session, now) ? { active: session } : {}) };
};

/**
 * Writes down that a session is in use. It comes after the call, so that one that only reads waits for no writer before it has its answer,
 * and its failure is not the call's: the next call writes it.
 */
export const keepAlive = async ({ core }: Early, { id, lastActivityAt }: SessionActor['session']): Promise<void> => {
  try {
    // Volatile: no revision, no change record. A session that ended meanwhile stays ended.
    await core.store.transaction('write', async (tx) => {
      const row = await tx.get(apiSession.kind, id);
      if (row) await tx.update(apiSession.kind, { ...row, lastActivityAt }, row.version);
    });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    core.platform.logger.warn('the activity of a session was not written down', { session: id, error: error.message });
  }
};
