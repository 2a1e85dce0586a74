import { postureCheck, postureData } from '../../../api/kinds.ts';
import type { Entities } from '../../../entities/entities.ts';
import { selectedBy } from '../roles/membership.ts';
import type { Facts, SessionFacts, StoredPostureCheck } from './facts.ts';
import { type CheckingPolicy, type Posture, postureOf } from './posture.ts';

/** The posture checks that any of some policies select: one question, or none when they ask for nothing. */
export const checksOf = async (entities: Entities, policies: readonly CheckingPolicy[]): Promise<readonly StoredPostureCheck[]> => {
  const sides = policies.flatMap(({ semantic, postureCheckRoles: roles }) => (roles.length === 0 ? [] : [{ semantic, roles }]));
  return sides.length === 0 ? [] : entities.list(postureCheck, { where: await selectedBy(sides) });
};

/** Loads the facts of an identity; without a session, none of those that belong to sessions. */
const factsOf = async (entities: Entities, identityId: string, session: SessionFacts | undefined): Promise<Facts> => ({
  ...(await entities.get(postureData, identityId)),
  session,
});

/** Whose endpoint: the identity's, in one of its API sessions. Without a session, as for an administrator who looks on, no code was passed. */
export interface Endpoint {
  readonly identityId: string;
  readonly session?: SessionFacts | undefined;
}

/** How the checks of some policies stand for an endpoint. Two questions, however many policies there are; none when they ask for nothing. */
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
