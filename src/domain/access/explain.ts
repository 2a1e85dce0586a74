import { access } from '../../api/explain.ts';
import { identity } from '../../api/identities.ts';
import type { Resource, RowOf } from '../../api/kit/resource.ts';
import { type PolicyType, servicePolicy } from '../../api/policies.ts';
import { edgeRouter } from '../../api/routers.ts';
import { service } from '../../api/services.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import type { Entities } from '../../changes/entities.ts';
import { and, not, or } from '../../query/index.ts';
import { referenceTo } from '../../resources/links.ts';
import type { Row } from '../../storage/port.ts';
import { describeSide, selecting } from '../roles/membership.ts';
import { evaluateAccess, grants } from './evaluate.ts';
import { suggestAccess } from './suggest.ts';
import { firstOf, ofType, routersBetween } from './through.ts';

type Identity = RowOf<typeof identity>;
type Service = RowOf<typeof service>;
type Policy = RowOf<typeof servicePolicy>;

/** Policies, and edge routers in common, that are shown; how many there are beyond is told. */
const SHOWN = 50;

const explain = (
  call: Call,
  { identityId, serviceId, type }: { readonly identityId: string; readonly serviceId: string; readonly type: PolicyType },
) =>
  call.read(async (entities) => {
    const who = await entities.require(identity, identityId);
    const what = await entities.require(service, serviceId);
    const { granting, related, more, other } = await policiesAbout(entities, who, what, type);
    const policies = [...granting, ...related];
    const evaluated = evaluateAccess(policies, who, what);
    const isAllowed = type === 'Dial' ? evaluated.dial : evaluated.bind;
    const { common, ...routers } = await routersBetween(entities, who, what, SHOWN);
    return {
      type,
      isAllowed,
      identity: reference(identity, who),
      service: reference(service, what),
      policies: policies.map((policy) => explainPolicy(policy, who, what)),
      morePolicies: more,
      otherPolicies: other,
      ...routers,
      commonRouters: common.rows.map((router) => reference(edgeRouter, router)),
      moreCommonRouters: common.count - common.rows.length,
      suggestions: isAllowed ? [] : [...suggestAccess(type, who, what, related)],
    };
  });

/** Granting policies are found by themselves, so that however many there are, none that counts is left out. */
const policiesAbout = async (entities: Entities, who: Identity, what: Service, type: PolicyType) => {
  const selectsWho = selecting('identityRoles', who);
  const selectsWhat = selecting('serviceRoles', what);
  const both = and(ofType(type), selectsWho, selectsWhat);
  const either = and(ofType(type), or(selectsWho, selectsWhat), not(and(selectsWho, selectsWhat)));
  const granting = await firstOf(entities, servicePolicy, both, SHOWN);
  const related = await firstOf(entities, servicePolicy, either, SHOWN);
  const all = await entities.count(servicePolicy as never, ofType(type));
  const counted = granting.count + related.count;
  return {
    granting: granting.rows,
    related: related.rows,
    more: counted - granting.rows.length - related.rows.length,
    other: all - counted,
  };
};

const explainPolicy = (policy: Policy, who: Identity, what: Service) => {
  const { semantic, identityRoles, serviceRoles } = policy;
  const { isSelected, selectors } = describeSide({ semantic, roles: identityRoles }, who);
  const ofService = describeSide({ semantic, roles: serviceRoles }, what);
  return {
    policy: reference(servicePolicy, policy),
    semantic,
    isGranting: grants(policy, who, what),
    identity: { isSelected, selectors: [...selectors] },
    service: { isSelected: ofService.isSelected, selectors: [...ofService.selectors] },
  };
};

/** Rows and kinds of any sort are rows and kinds to a reference. */
const reference = (kind: unknown, row: unknown) => referenceTo(kind as Resource, row as Row);

export const accessEntries = implement(access, { explain });
