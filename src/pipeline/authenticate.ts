import type { Operation } from '../api/kit/operation.ts';
import { apiSession } from '../api/sessions.ts';
import type { Actor } from '../call/actor.ts';
import type { Call } from '../call/call.ts';
import { accompanied } from '../domain/external-jwt-signers/second-factor.ts';
import { actorOfToken, expiry, needsTouch } from '../domain/sessions/state.ts';
import { unauthorized } from '../errors/index.ts';

type Early = Omit<Call, 'actor'>;

/**
 * Who calls. Operations open to anybody look at no token, so that a stale one does no harm there.
 * @throws ApiError `UNAUTHORIZED`: with a cause when nothing was presented, without when it is not good
 */
export const authenticate = async (call: Early, operation: Operation, inHostTransaction: boolean): Promise<Actor> => {
  const { credentials, core } = call;
  if (credentials.kind === 'system') return { kind: 'system' };
  if (operation.permission === 'open') return { kind: 'anonymous' };
  if (credentials.kind === 'none' || credentials.token === undefined)
    throw unauthorized('no session token was presented: send the header zt-session');
  const { token } = credentials;
  const now = call.now();
  const known = await call.read((entities) => actorOfToken(entities, core.settings, token, now));
  if (!known) throw unauthorized();
  const actor = await accompanied(call, known);
  // In the host's transaction nothing but the call itself is written.
  if (!inHostTransaction && needsTouch(core.settings, actor.session, now)) {
    // Volatile: no revision, no change record. A session that ended meanwhile stays ended.
    await core.store.transaction('write', async (tx) => {
      const row = await tx.get(apiSession.kind, actor.session.id);
      if (row) await tx.update(apiSession.kind, { ...row, lastActivityAt: now }, row.version);
    });
  }
  const { expirationSeconds, expiresAt } = expiry(core.settings, now);
  call.answerHeaders.set('expiration-seconds', String(expirationSeconds)).set('expires-at', expiresAt);
  return { ...actor, session: { ...actor.session, lastActivityAt: now } };
};
