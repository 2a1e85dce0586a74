import { failedServiceRequest, identity, postureCheck, service } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { PolicyType } from '../../../api/policies.ts';
import { apiSessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { equals, stringField } from '../../../query/index.ts';
import { idsWithin } from '../../../resources/granted.ts';
import { newRow } from '../../../resources/merge.ts';
import type { Decision } from '../../policy/access/decide.ts';

/** Maximum number of stored failures per identity (specification, "Limits"). */
const MAX_FAILURES = 50;
/** Maximum number of policies per failed service request. */
const MAX_POLICIES = 50;
/** Maximum number of characters of the failures as JSON, limited because endpoints influence the stored values. Policies beyond this limit are omitted. */
const MAX_CHARACTERS = 131_072;

const newestFirst = [{ field: { path: ['number'], type: 'number' }, descending: true }] as const;

interface Failure {
  readonly service: { readonly id: string; readonly name: string };
  readonly type: PolicyType;
  readonly decision: Decision;
}

/** Records that posture checks denied the caller a session. Removes the oldest records if there are too many. */
export const storeFailure = async (entities: Entities, call: Call, { service, type, decision }: Failure): Promise<void> => {
  const { identity: who, session } = apiSessionOf(call.actor);
  const where = equals(stringField('identityId'), who.id);
  const known = await entities.list(failedServiceRequest, { where, sort: newestFirst });
  for (const old of known.slice(MAX_FAILURES - 1)) await entities.remove(failedServiceRequest, old);
  const policyFailures = decision.policies.slice(0, MAX_POLICIES).map(({ policy, checks }) => ({
    policyId: policy.id,
    policyName: policy.name,
    checks: checks
      .filter(({ isPassing }) => !isPassing)
      .map(({ check, actualValue, expectedValue, more }) => ({
        postureCheckId: check.id,
        postureCheckName: check.name,
        postureCheckType: check.typeId,
        actualValue,
        expectedValue,
        ...more,
      })),
  }));
  let remaining = MAX_CHARACTERS;
  const shown = policyFailures.filter((failure, i) => (remaining -= JSON.stringify(failure).length) >= 0 || i === 0);
  const number = (known[0]?.number ?? 0) + 1;
  const own = { identityId: who.id, number, apiSessionId: session.id, serviceId: service.id, serviceName: service.name };
  await entities.insert(
    failedServiceRequest,
    newRow(failedServiceRequest, {}, { ...own, sessionType: type, when: call.now(), policyFailures: shown }),
  );
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
    const { visible } = call.grant;
    const within = async (kind: Kind, ids: readonly string[]) => new Set(await idsWithin(entities, kind, visible, ids, call));
    const services = await within(
      service,
      rows.map(({ serviceId }) => serviceId),
    );
    const checksOf = rows.flatMap(({ policyFailures }) => policyFailures.flatMap(({ checks }) => checks));
    const checks = await within(
      postureCheck,
      checksOf.map(({ postureCheckId }) => postureCheckId),
    );
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
