import { postureCheck, postureData } from '../../../api/kinds.ts';
import type { Entities } from '../../../entities/entities.ts';
import { selectedBy } from '../roles/membership.ts';
import type { Facts, SessionFacts, StoredPostureCheck } from './facts.ts';
import { type CheckingPolicy, type Posture, postureOf } from './posture.ts';

/** The posture checks that at least one of the policies selects. Takes one query; none if no policy has posture checks. */
export const checksOf = async (entities: Entities, policies: readonly CheckingPolicy[]): Promise<readonly StoredPostureCheck[]> => {
  const sides = policies.flatMap(({ semantic, postureCheckRoles: roles }) => (roles.length === 0 ? [] : [{ semantic, roles }]));
  return sides.length === 0 ? [] : entities.list(postureCheck, { where: await selectedBy(sides) });
};

/** Loads the facts about an identity; without a session, the facts of sessions are missing. */
const factsOf = async (entities: Entities, identityId: string, session: SessionFacts | undefined): Promise<Facts> => ({
  ...(await entities.get(postureData, identityId)),
  session,
});

/** The endpoint of an identity, in one of its API sessions. Without a session, e.g. if an administrator inspects it, no MFA code counts as passed. */
export interface Endpoint {
  readonly identityId: string;
  readonly session?: SessionFacts | undefined;
}

/** The results of the posture checks of policies for an endpoint. Takes two queries for any number of policies; none if no policy has posture checks. */
export const loadPosture = async (
  entities: Entities,
  policies: readonly CheckingPolicy[],
  { identityId, session }: Endpoint,
  now: string,
): Promise<Posture> => {
  const checks = await checksOf(entities, policies);
  const facts = checks.length === 0 ? {} : await factsOf(entities, identityId, session);
  return postureOf(checks, facts, Date.parse(now));
};
