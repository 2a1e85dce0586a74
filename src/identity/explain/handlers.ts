import { decisionOf } from '../../access/evaluation/decide.ts';
import { evaluateAccess, evaluatePermissions, evaluatePolicy, grants, type PolicyResult } from '../../access/evaluation/evaluate.ts';
import { suggestAccess } from '../../access/evaluation/suggest.ts';
import { matrixHandlers } from '../../access/matrix/handlers.ts';
import { firstOf, ofType, policiesOfBoth, routersBetween } from '../../access/policies/traversal.ts';
import { loadPosture } from '../../access/posture/load.ts';
import { describeSide, selecting } from '../../access/roles/membership.ts';
import { presenceOf } from '../../access/routers/presence.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { granted, isVisible, visibleIds } from '../../call/resources/granted.ts';
import { referenceTo } from '../../call/resources/links.ts';
import { access } from '../../contract/api/explain.ts';
import { apiSession, edgeRouter, identity, postureCheck, service, servicePolicy, session } from '../../contract/api/kinds.ts';
import { type RowOf, selectorOfAttribute } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { notFound } from '../../contract/errors/index.ts';
import { and, equals, not, or, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { visibleSessions } from '../sessions/visibility.ts';
import { compareAccess } from './compare.ts';
import { previewAccess } from './what-if.ts';

type Identity = RowOf<typeof identity>;
type Service = RowOf<typeof service>;
type Policy = RowOf<typeof servicePolicy>;

/** Maximum number of policies, of common edge routers and of sessions in an explanation, which also has the number of others. */
const MAX_SHOWN = 50;

interface AccessQuery {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  readonly apiSessionId?: string | undefined;
}

const explain = (call: Call, { identityId, serviceId, type, apiSessionId }: AccessQuery) =>
  call.read(async (entities) => {
    const who = await entities.require(identity, identityId);
    const what = await entities.require(service, serviceId);
    const visible = await granted(entities, servicePolicy, call);
    const ownSession = apiSessionId === undefined ? undefined : await apiSessionOf(entities, call, who, apiSessionId);
    const { granting, related, more, all } = await policiesAbout(entities, who, what, type, visible);
    const posture = await loadPosture(entities, [...granting, ...related], { identityId, session: ownSession }, call.now());
    const { isGranted, isPermitted, policies } = decisionOf(evaluateAccess(granting, who, what, posture), type);
    const grantingIds = granting.map(({ id }) => id);
    const seenIds = await visibleIds(entities, servicePolicy, grantingIds, call);
    const seen = policies.filter(({ policy }) => seenIds.has(policy.id));
    const shown = seen.toSorted((a, b) => Number(b.isPassing) - Number(a.isPassing)).slice(0, MAX_SHOWN);
    const results = [...shown, ...related.map((policy) => evaluatePolicy(policy, posture))];
    const checks = results.flatMap((result) => result.checks.map(({ check }) => check.id));
    const visibleChecks = await visibleIds(entities, postureCheck, checks, call);
    // A suggestion to pass checks names them, so the caller must be allowed to see them.
    const suggestible = results.filter(({ isPassing, checks }) => isPassing || checks.every(({ check }) => visibleChecks.has(check.id)));
    const sessions = await sessionsTo(entities, call, { identityId, serviceId, type });
    const { common, ...routers } = await routersBetween(entities, who, what, await granted(entities, edgeRouter, call), MAX_SHOWN);
    return {
      type,
      isAllowed: isGranted,
      isPermitted,
      identity: referenceTo(identity, who),
      service: referenceTo(service, what),
      policies: results.map((result) => explainPolicy(result, who, what, visibleChecks)),
      morePolicies: more + seen.length - shown.length,
      otherPolicies: all - seen.length - related.length - more,
      ...routers,
      commonRouters: common.rows.map((router) => referenceTo(edgeRouter, router)),
      moreCommonRouters: common.count - common.rows.length,
      sessions: sessions.rows.map(({ id }) => id),
      moreSessions: sessions.count - sessions.rows.length,
      suggestions: isGranted ? [] : [...suggestAccess(type, who, what, suggestible)],
    };
  });

const apiSessionOf = async (entities: Entities, call: Call, who: Identity, id: string): Promise<RowOf<typeof apiSession>> => {
  if (!(await isVisible(entities, apiSession, id, call))) throw notFound(apiSession.kind, id);
  const row = await entities.require(apiSession, id);
  if (row.identityId !== who.id) throw notFound(apiSession.kind, id);
  return row;
};

const sessionsTo = async (entities: Entities, call: Call, { identityId, serviceId, type }: AccessQuery) => {
  // Past sessions are not recorded.
  if (call.isPast) return { rows: [], count: 0 };
  const visible = and(
    await granted(entities, session, call),
    await visibleSessions(entities, call, equals(stringField('identityId'), identityId)),
  );
  return firstOf(
    entities,
    session,
    and(visible, equals(stringField('serviceId'), serviceId), equals(stringField('type'), type)),
    MAX_SHOWN,
  );
};

/**
 * All policies that select both the identity and the service, because any of them may pass, and up to `MAX_SHOWN` that select only one of
 * the two.
 * @param visible limits the policies that select only one
 */
const policiesAbout = async (entities: Entities, who: Identity, what: Service, type: PolicyType, visible: Predicate) => {
  const selectsWho = selecting('identityRoles', who);
  const selectsWhat = selecting('serviceRoles', what);
  const both = and(ofType(type), selectsWho, selectsWhat);
  const either = and(visible, ofType(type), or(selectsWho, selectsWhat), not(and(selectsWho, selectsWhat)));
  const granting = await entities.list(servicePolicy, { where: both });
  const { rows: related, count: relatedCount } = await firstOf(entities, servicePolicy, either, MAX_SHOWN);
  const all = await entities.count(servicePolicy, and(visible, ofType(type)));
  return { granting, related, more: relatedCount - related.length, all };
};

const explainPolicy = (
  { policy, isPassing, checks }: PolicyResult<Policy>,
  who: Identity,
  what: Service,
  visibleChecks: ReadonlySet<string>,
) => {
  const shown = checks.filter(({ check }) => visibleChecks.has(check.id));
  const { semantic, identityRoles, serviceRoles } = policy;
  const { isSelected, selectors } = describeSide({ semantic, roles: identityRoles }, who);
  const ofService = describeSide({ semantic, roles: serviceRoles }, what);
  return {
    policy: referenceTo(servicePolicy, policy),
    semantic,
    isGranting: isPassing && grants(policy, who, what),
    ...(policy.validUntil ? { validUntil: policy.validUntil } : {}),
    ...(policy.reason ? { reason: policy.reason } : {}),
    identity: { isSelected, selectors: selectors.map((each) => ({ ...each, ...grantOf(who, each.selector) })) },
    service: { isSelected: ofService.isSelected, selectors: [...ofService.selectors] },
    postureChecks: shown.map(({ check, isPassing, expectedValue, actualValue }) => ({
      check: referenceTo(postureCheck, check),
      typeId: check.typeId,
      isPassing,
      expectedValue,
      actualValue,
    })),
  };
};

/** The grant of the role attribute by which a selector matches, or matched, an identity. */
const grantOf = ({ roleAttributeGrants }: Identity, selector: string) =>
  Object.entries(roleAttributeGrants ?? {}).find(([attribute]) => selector === selectorOfAttribute(attribute))?.[1];

export const accessEntries = implement(access, { explain, ...matrixHandlers, preview: previewAccess, compare: compareAccess });

/** Policy advice: the permissions of an identity on a service, ignoring posture, and the edge routers that both may use. */
export const policyAdviceFor = (call: Call, { id, serviceId }: { readonly id: string; readonly serviceId: string }) =>
  call.read(async (entities) => {
    const who = await entities.require(identity, id);
    const what = await entities.require(service, serviceId);
    const { dial, bind } = evaluatePermissions(await policiesOfBoth(entities, who, what), who, what);
    const { identityRouterCount, serviceRouterCount, common } = await routersBetween(
      entities,
      who,
      what,
      await granted(entities, edgeRouter, call),
    );
    return {
      identity: referenceTo(identity, who),
      identityId: id,
      service: referenceTo(service, what),
      serviceId,
      ...(dial ? { isDialAllowed: true } : {}),
      ...(bind ? { isBindAllowed: true } : {}),
      ...(identityRouterCount > 0 ? { identityRouterCount } : {}),
      ...(serviceRouterCount > 0 ? { serviceRouterCount } : {}),
      commonRouters:
        common.rows.length === 0
          ? null
          : common.rows.map((row) => ({
              ...referenceTo(edgeRouter, row),
              isOnline: presenceOf(call.core.presence, row).isOnline,
            })),
    };
  });
