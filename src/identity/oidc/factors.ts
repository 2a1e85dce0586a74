import { secondFactorOf } from '../../call/authentication/external-tokens.ts';
import { hasMfa, owedToken, totpEnrolled } from '../../call/authentication/factors.ts';
import type { Call } from '../../call/call.ts';
import { type AuthQuery, apiSession } from '../../contract/api/api-sessions.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { authRequestOf, type Login, loginOf, storeProgress } from './requests.ts';

/** The factors that a login still requires: a code first, then a token. */
export const pendingFactors = async (entities: Entities, { session, owner, policy }: Login): Promise<readonly AuthQuery[]> => {
  const isEnrolled = await hasMfa(entities, owner.id);
  const needsCode = (isEnrolled || policy.secondary.requireTotp) && !session.bearer?.amr.includes('totp');
  return [...(needsCode ? [totpQuery(isEnrolled)] : []), ...(await owedToken(entities, session, owner, policy, []))];
};

export const isTotp = ({ typeId }: AuthQuery): boolean => typeId === 'TOTP';

const totpQuery = (isEnrolled: boolean): AuthQuery => ({
  typeId: 'TOTP',
  provider: 'ziti',
  httpMethod: 'POST',
  httpUrl: './oidc/login/totp',
  format: 'numeric',
  minLength: 6,
  maxLength: 8,
  scopes: null,
  ...totpEnrolled(isEnrolled),
});

/** Records an authentication method that a login has passed. */
export const passFactor = async (entities: Entities, { row, session }: Login, method: string, call: Pick<Call, 'now'>): Promise<void> => {
  const { bearer } = session;
  if (!bearer) return;
  const amr = [...new Set([...bearer.amr, method])];
  const code = method === 'totp' ? { isMfaComplete: true, mfaPassedAt: call.now() } : {};
  await entities.update(apiSession, session, { bearer: { ...bearer, amr }, ...code });
  await storeProgress(entities, row, { amr });
};

/**
 * Passes the factor of an external token, if the login requires one and the call presents it for the same identity.
 * @returns true if the factor was passed
 */
export const passExternalToken = async (call: Call, id: string): Promise<boolean> => {
  const pending = await call.read(async (entities) => {
    const login = await loginOf(entities, call, await authRequestOf(entities, call, id));
    const signerId = login && (await pendingFactors(entities, login)).find(({ typeId }) => typeId === 'EXT-JWT')?.id;
    return login && signerId ? { signerId, owner: login.owner } : undefined;
  });
  const proof = pending && (await secondFactorOf(call, pending.signerId, pending.owner));
  if (!proof) return false;
  return call.write(async (entities) => {
    const login = await loginOf(entities, call, await authRequestOf(entities, call, id));
    // Keys were fetched since: another identity may have logged in, the policy may require another signer, or the signer may have been
    // disabled or deleted.
    const isOfSigner = login?.policy.secondary.requireExtJwtSigner === pending.signerId;
    if (!isOfSigner || (await owedToken(entities, login.session, login.owner, login.policy, [proof])).length > 0) return false;
    await passFactor(entities, login, `ejs:${pending.signerId}`, call);
    return true;
  });
};
