import type { ApiSessionActor } from '../../../call/actor.ts';
import { isDisabled } from '../../../call/authentication/actors.ts';
import { mayVouchFor } from '../../../call/authentication/vouching.ts';
import type { Call } from '../../../call/call.ts';
import { BY_EXTERNAL_ID } from '../../../contract/api/api-sessions.ts';
import { authenticator, authPolicy, ca, identity } from '../../../contract/api/kinds.ts';
import type { RowOf } from '../../../contract/api/kit/index.ts';
import { beginsWith, type Certificate } from '../../../crypto/pki/certificate.ts';
import { type Presented, readPresented } from '../../../crypto/pki/presented.ts';
import { equals, stringField } from '../../../query/index.ts';
import type { Entities } from '../../../store/entities/entities.ts';
import { externalIdOf } from '../../cas/claims.ts';
import { authoritiesAbove, authorityFor, networkFor, type Trust } from '../../cas/trust.ts';
import { type Authenticated, invalidAuth, type LoginBody, type OpenSession } from '../login.ts';

/**
 * The identity that a certificate proves: through an authenticator or, if `credential` is undefined, through the external id in the
 * certificate.
 */
interface Proven {
  readonly owner: RowOf<typeof identity>;
  readonly credential: RowOf<typeof authenticator> | undefined;
}

/**
 * Login with the client certificate of the TLS handshake. Only the first presented certificate identifies the client; the others are used
 * to build its chain. Every failure gets the same response.
 * @throws ApiError `INVALID_AUTH`
 */
export const loginByCertificate = async (call: Call, body: LoginBody, open: OpenSession): Promise<ApiSessionActor> => {
  const presented = await readPresented(call.peerCertificates);
  const trust = presented && (await trustIn(call, presented));
  if (!presented || !trust) throw invalidAuth();
  const actor = await call.write(async (entities) => {
    const proven = await provenBy(entities, presented.leaf, trust, call);
    return proven && succeed(entities, proven, trust, (authenticated) => open(entities, authenticated, body, call));
  });
  if (!actor) throw invalidAuth();
  if (actor.session.isCertExtendRequested) call.answerHeaders.set('ziti-authenticator-extend-requested', 'true');
  return actor;
};

/**
 * The issuer of the certificate. Ignores validity periods: whether an expired certificate is accepted depends on the policy, which is read
 * later, and those of the network's own authorities do not matter.
 */
const trustIn = async (call: Call, presented: Presented): Promise<Trust | undefined> => {
  const now = call.core.platform.clock.now();
  const network = await networkFor(presented, await call.core.pki.signer(), { now, ignoreValidity: 'all' });
  if (network) return network;
  const authorities = await call.read((entities) => authoritiesAbove(entities, presented, 'isAuthEnabled'));
  const authority = await authorityFor(presented, authorities, { now, ignoreValidity: 'leaf' });
  return authority && { by: authority };
};

/** The proven identity, as of this transaction: the CA may have been deleted or disabled since the first check. */
const provenBy = async (entities: Entities, leaf: Certificate, trust: Trust, call: Call): Promise<Proven | undefined> => {
  const now = call.core.platform.clock.now();
  const proven = trust.by === 'network' ? await ownerOf(entities, leaf) : await ownerByAuthority(entities, leaf, trust.by.row.id);
  call.observation?.setFailureReason(proven ? 'not-allowed' : 'unknown', proven?.owner.id);
  call.attempted = proven && {
    identityId: proven.owner.id,
    authenticatorId: proven.credential?.id ?? '',
    authPolicyId: proven.owner.authPolicyId,
  };
  const policy = proven && (await entities.get(authPolicy, proven.owner.authPolicyId));
  if (!policy || isDisabled(proven.owner, new Date(now).toISOString())) return undefined;
  const { allowed, allowExpiredCerts } = policy.primary.cert;
  const isValid = allowExpiredCerts || (leaf.notBefore <= now && now <= leaf.notAfter);
  return allowed && isValid ? proven : undefined;
};

/** An external id in the certificate identifies the owner; without one, the certificate itself does. */
const ownerByAuthority = async (entities: Entities, leaf: Certificate, caId: string): Promise<Proven | undefined> => {
  const row = await entities.get(ca, caId);
  if (!row?.isVerified || !row.isAuthEnabled) return undefined;
  const externalId = row.externalIdClaim ? externalIdOf(leaf, row.externalIdClaim) : undefined;
  const owner = externalId === undefined ? undefined : await entities.find(identity, equals(stringField('externalId'), externalId));
  const proven = externalId === undefined ? await ownerOf(entities, leaf) : owner && { owner, credential: undefined };
  return proven && mayVouchFor(row, proven.owner) ? proven : undefined;
};

const ownerOf = async (entities: Entities, leaf: Certificate): Promise<Proven | undefined> => {
  const row = await entities.find(authenticator, equals(stringField('fingerprint'), leaf.fingerprint));
  const owner = row?.certPem && beginsWith(row.certPem, leaf) ? await entities.get(identity, row.identityId) : undefined;
  return owner && { owner, credential: row };
};

const succeed = async (
  entities: Entities,
  { owner, credential }: Proven,
  trust: Trust,
  open: (authenticated: Authenticated) => Promise<ApiSessionActor>,
): Promise<ApiSessionActor> => {
  const isComplete = trust.by !== 'network' || trust.isComplete;
  if (credential && credential.lastAuthResolvedToRoot !== isComplete)
    await entities.update(authenticator, credential, { lastAuthResolvedToRoot: isComplete });
  const certificate = {
    isCertExtendable: credential?.isIssuedByNetwork ?? false,
    isCertExtendRequested: credential?.isExtendRequested ?? false,
    isCertKeyRollRequested: credential?.isKeyRollRequested ?? false,
    improperClientCertChain: !isComplete,
    caId: credential || trust.by === 'network' ? null : trust.by.row.id,
  };
  return open({ owner, authenticatorId: credential?.id ?? BY_EXTERNAL_ID, certificate });
};
