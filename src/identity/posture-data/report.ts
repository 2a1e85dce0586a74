import { policiesOfIdentity } from '../../access/policies/traversal.ts';
import type { EndpointEvent, Notice } from '../../access/posture/check-type.ts';
import { checkTypeOf } from '../../access/posture/check-types.ts';
import type { Facts } from '../../access/posture/facts.ts';
import { loadChecks } from '../../access/posture/load.ts';
import { applyResponses, eventOf, NOTHING_REPORTED, type ReportedFacts } from '../../access/posture/responses.ts';
import { selectedBy } from '../../access/roles/membership.ts';
import { indexEntities, selectingEach } from '../../access/roles/selection-index.ts';
import { apiSessionOf, identityOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { apiSession, postureData, service } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { type PostureResponse, postureResponses } from '../../contract/api/posture-responses.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { isSameJson } from '../../store/storage/same-json.ts';

interface AffectedService extends Notice {
  readonly id: string;
  readonly name: string;
  readonly postureQueryType: string;
}

/** Stores the posture responses of an endpoint atomically. */
const reportPosture = (call: Call, responses: readonly PostureResponse[]): Promise<{ services: AffectedService[] }> =>
  call.write(async (entities) => {
    const { identity, session } = apiSessionOf(call.actor);
    const now = call.now();
    const stored = await entities.get(postureData, identity.id);
    const current = await entities.require(apiSession, session.id);
    const before: ReportedFacts = { ...NOTHING_REPORTED, ...stored, wokenAt: current.wokenAt, unlockedAt: current.unlockedAt };
    const { wokenAt, unlockedAt, ...facts } = applyResponses(before, responses, now);
    const changes = changedFieldsOf(before, facts, Object.keys(NOTHING_REPORTED));
    if (stored && Object.keys(changes).length > 0) await entities.update(postureData, stored, changes);
    else if (!stored && Object.keys(changes).length > 0)
      await entities.insert(postureData, { id: identity.id, identityId: identity.id, ...NOTHING_REPORTED, ...changes });
    const sessionChanges = changedFieldsOf(current, { wokenAt, unlockedAt }, ['wokenAt', 'unlockedAt']);
    if (Object.keys(sessionChanges).length > 0) await entities.update(apiSession, current, sessionChanges);
    const event = eventOf(responses);
    return { services: event.woken || event.unlocked ? await affectedServices(entities, call, { session: current }, event) : [] };
  });

/** The fields whose values have changed. */
const changedFieldsOf = <T extends object>(before: object, after: T, fields: readonly string[]): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => fields.includes(name) && !isSameJson(value, before[name as keyof typeof before])),
  ) as Partial<T>; // a subset of the entries of `after`

/** The services of the caller that will require a code because of the event, each with its earliest timeout. */
const affectedServices = async (entities: Entities, call: Call, facts: Facts, event: EndpointEvent): Promise<AffectedService[]> => {
  const now = Date.parse(call.now());
  const policies = await policiesOfIdentity(entities, identityOf(call.actor));
  const checksWithNotice = (await loadChecks(entities, policies))
    .flatMap((check) => {
      const notice = checkTypeOf(check).notice?.(check, facts, event, now);
      return notice ? [{ check, notice }] : [];
    })
    // Earliest timeout first.
    .toSorted((a, b) => endOf(a.notice) - endOf(b.notice));
  const selected = indexEntities(checksWithNotice.map(({ check }) => check));
  const affected = policies.flatMap(({ semantic, postureCheckRoles, serviceRoles }) => {
    const [nearest] = selected({ semantic, roles: postureCheckRoles });
    return nearest ? [{ side: { semantic, roles: serviceRoles }, nearest }] : [];
  });
  if (affected.length === 0) return [];
  const services = await entities.list(service, { where: await selectedBy(affected.map(({ side }) => side)) });
  const selecting = await selectingEach(services, affected, ({ side }) => side);
  return services.flatMap((row: RowOf<typeof service>) => {
    const nearestChecks = new Set(selecting.get(row)?.map(({ nearest }) => nearest));
    const nearest = checksWithNotice.find(({ check }) => nearestChecks.has(check));
    return nearest ? [{ id: row.id, name: row.name, postureQueryType: nearest.check.typeId, ...nearest.notice }] : [];
  });
};

const endOf = ({ timeout }: Notice): number => (timeout < 0 ? Infinity : timeout);

export const postureResponseEntries = implement(postureResponses, {
  create: (call, { body }) => reportPosture(call, [body]),
  createBulk: (call, { body }) => reportPosture(call, body),
});
