import { postureCheck, postureData } from '../../contract/api/kinds.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { selectedBy } from '../roles/membership.ts';
import type { Facts, SessionFacts, StoredPostureCheck } from './facts.ts';
import { type CheckingPolicy, type Posture, postureOf } from './posture.ts';

/** Loads the posture checks that at least one of the policies selects. Runs one query, or none if no policy has posture checks. */
export const loadChecks = async (entities: Entities, policies: readonly CheckingPolicy[]): Promise<readonly StoredPostureCheck[]> => {
  const sides = policies.flatMap(({ semantic, postureCheckRoles: roles }) => (roles.length === 0 ? [] : [{ semantic, roles }]));
  return sides.length === 0 ? [] : entities.list(postureCheck, { where: await selectedBy(sides) });
};

/** Without a session, the facts about sessions are missing. */
const loadFacts = async (entities: Entities, identityId: string, session: SessionFacts | undefined): Promise<Facts> => ({
  ...(await entities.get(postureData, identityId)),
  session,
});

/**
 * The endpoint of an identity in one of its API sessions. Without a session, for example while an administrator inspects it, MFA checks
 * fail.
 */
export interface Endpoint {
  readonly identityId: string;
  readonly session?: SessionFacts | undefined;
}

/**
 * Loads the posture checks of policies and the facts about an endpoint. Runs two queries for any number of policies, or none if no policy
 * has posture checks.
 */
export const loadPosture = async (
  entities: Entities,
  policies: readonly CheckingPolicy[],
  { identityId, session }: Endpoint,
  now: string,
): Promise<Posture> => {
  const checks = await loadChecks(entities, policies);
  const facts = checks.length === 0 ? {} : await loadFacts(entities, identityId, session);
  return postureOf(checks, facts, Date.parse(now));
};
