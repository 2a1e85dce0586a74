import type { Decision } from '../../access/evaluation/decide.ts';
import { apiSessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { visibleIds } from '../../call/resources/granted.ts';
import { newRow } from '../../call/resources/merge.ts';
import { failedServiceRequest, identity, postureCheck, service } from '../../contract/api/kinds.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** Maximum number of stored failures per identity (specification, "Limits"). */
const MAX_FAILURES = 50;
/** Maximum number of policies per failed service request. */
const MAX_POLICIES = 50;
/**
 * Maximum number of characters of the failures as JSON, because endpoints control some of the stored values. Policies that exceed it are
 * omitted.
 */
const MAX_CHARACTERS = 131_072;

const newestFirst = [{ field: { path: ['number'], type: 'number' }, descending: true }] as const;

interface Failure {
  readonly service: { readonly id: string; readonly name: string };
  readonly type: PolicyType;
  readonly decision: Decision;
}

/** Records that posture checks refused a session to the caller. Removes the oldest records if there are too many. */
export const storeFailure = async (entities: Entities, call: Call, { service, type, decision }: Failure): Promise<void> => {
  const { identity: who, session } = apiSessionOf(call.actor);
  const where = equals(stringField('identityId'), who.id);
  const existing = await entities.list(failedServiceRequest, { where, sort: newestFirst });
  for (const old of existing.slice(MAX_FAILURES - 1)) await entities.remove(failedServiceRequest, old);
  const policyFailures = decision.policies.slice(0, MAX_POLICIES).map(({ policy, checks }) => ({
    policyId: policy.id,
    policyName: policy.name,
    checks: checks
      .filter(({ isPassing }) => !isPassing)
      .map(({ check, actualValue, expectedValue, extraProperties }) => ({
        postureCheckId: check.id,
        postureCheckName: check.name,
        postureCheckType: check.typeId,
        actualValue,
        expectedValue,
        ...extraProperties,
      })),
  }));
  const number = (existing[0]?.number ?? 0) + 1;
  const own = { identityId: who.id, number, apiSessionId: session.id, serviceId: service.id, serviceName: service.name };
  await entities.insert(
    failedServiceRequest,
    newRow(failedServiceRequest, {}, { ...own, sessionType: type, when: call.now(), policyFailures: withinLimit(policyFailures) }),
  );
};

/** The first failures, at least one, up to the limit. */
const withinLimit = <T>(failures: readonly T[]): T[] => {
  let characters = 0;
  let count = 0;
  for (const failure of failures) {
    characters += JSON.stringify(failure).length;
    if (characters > MAX_CHARACTERS) break;
    count++;
  }
  return failures.slice(0, Math.max(count, 1));
};

/** The failed service requests of an identity, oldest first. */
export const failedServiceRequestsOf = (call: Call, { id }: { readonly id: string }) =>
  call.read(async (entities) => {
    await entities.require(identity, id);
    const rows = await entities.list(failedServiceRequest, {
      where: equals(stringField('identityId'), id),
      sort: newestFirst,
      limit: MAX_FAILURES,
    });
    const serviceIds = rows.map(({ serviceId }) => serviceId);
    const failed = rows.flatMap(({ policyFailures }) => policyFailures.flatMap(({ checks }) => checks));
    const checkIds = failed.map(({ postureCheckId }) => postureCheckId);
    const services = await visibleIds(entities, service, serviceIds, call);
    const checks = await visibleIds(entities, postureCheck, checkIds, call);
    const shown = rows.toReversed().filter(({ serviceId }) => services.has(serviceId));
    return shown.map(({ apiSessionId, serviceId, serviceName, sessionType, when, policyFailures }) => ({
      apiSessionId,
      serviceId,
      serviceName,
      sessionType,
      when,
      policyFailures: policyFailures.map((failure) => ({
        ...failure,
        checks: failure.checks.filter(({ postureCheckId }) => checks.has(postureCheckId)),
      })),
    }));
  });
