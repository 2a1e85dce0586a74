import type * as z from 'zod';
import type { accessReason } from '../../../api/access-matrix.ts';
import type { accessChange, routerChange } from '../../../api/access-report.ts';
import {
  edgeRouter,
  edgeRouterPolicy,
  identity,
  postureCheck,
  service,
  serviceEdgeRouterPolicy,
  servicePolicy,
} from '../../../api/kinds.ts';
import type { EntityReference, Kind } from '../../../api/kit/index.ts';
import { referenceTo } from '../../../resources/links.ts';
import type { Row } from '../../../storage/port.ts';
import { conditionsOf, endOf } from './conditions.ts';
import type { PolicyState, RelatedRow, RowInBoth } from './groups.ts';
import type { PairDifference } from './pairs.ts';
import type { ShowPolicies } from './visible.ts';

export const presentAccess = (
  { left, right, type, effect, policies }: PairDifference,
  shown: ShowPolicies,
): z.output<typeof accessChange> => {
  const state = effect === 'lost' ? 'before' : 'after';
  const { validUntil } = conditionsOf(policies[state] ?? [], left[state]);
  return {
    identity: nameOfRow(identity, left),
    service: nameOfRow(service, right),
    type: type === 'Bind' ? 'Bind' : 'Dial',
    policies: shown(policies[state]).map((policy) => reasonOf(policy, left[state])),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(effect === 'changed' ? { policiesBefore: shown(policies.before).map((policy) => reasonOf(policy, left.before)) } : {}),
  };
};

export const presentRouter = (
  side: 'identityRouter' | 'serviceRouter',
  { left, right, effect, policies }: PairDifference,
  shown: ShowPolicies,
): z.output<typeof routerChange> => {
  const isIdentity = side === 'identityRouter';
  const kind = isIdentity ? edgeRouterPolicy : serviceEdgeRouterPolicy;
  return {
    ...(isIdentity ? { identity: nameOfRow(identity, left) } : { service: nameOfRow(service, left) }),
    router: nameOfRow(edgeRouter, right),
    policies: shown(policies[effect === 'lost' ? 'before' : 'after']).map(({ row }) => named(kind, row)),
  };
};

const reasonOf = (policy: PolicyState, who: RelatedRow | undefined): z.output<typeof accessReason> => {
  const validUntil = endOf(policy, who);
  return {
    policy: named(servicePolicy, policy.row),
    postureChecks: policy.checks.map((check) => named(postureCheck, check)),
    ...(validUntil === undefined ? {} : { validUntil }),
  };
};

const nameOfRow = (kind: Kind, { before, after }: RowInBoth): EntityReference => named(kind, after ?? before ?? { id: '', name: '' }); // it exists in one of them

const named = (kind: Kind, row: { readonly id: string; readonly name: string }): EntityReference =>
  referenceTo(kind, row as unknown as Row); // the links of these kinds follow from what is kept of a row
