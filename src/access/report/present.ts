import type * as z from 'zod';
import { referenceTo } from '../../call/resources/links.ts';
import type { accessReason } from '../../contract/api/access-matrix.ts';
import type { accessChange, routerChange } from '../../contract/api/access-report.ts';
import {
  edgeRouter,
  edgeRouterPolicy,
  identity,
  postureCheck,
  service,
  serviceEdgeRouterPolicy,
  servicePolicy,
} from '../../contract/api/kinds.ts';
import type { EntityReference, Kind } from '../../contract/api/kit/index.ts';
import type { Row } from '../../store/storage/port.ts';
import { conditionsOf, endOf } from '../evaluation/conditions.ts';
import type { PolicyState, RelatedRow, RowBeforeAfter } from './groups.ts';
import type { PairDifference } from './pairs.ts';
import type { ShowPolicies } from './visible.ts';

export const presentAccess = (
  { left, right, type, effect, policies }: PairDifference,
  showPolicies: ShowPolicies,
): z.output<typeof accessChange> => {
  const state = effect === 'lost' ? 'before' : 'after';
  const { validUntil } = conditionsOf(policies[state] ?? [], left[state]);
  return {
    identity: referenceToRow(identity, left),
    service: referenceToRow(service, right),
    type: type === 'Bind' ? 'Bind' : 'Dial',
    policies: showPolicies(policies[state]).map((policy) => reasonOf(policy, left[state])),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(effect === 'changed' ? { policiesBefore: showPolicies(policies.before).map((policy) => reasonOf(policy, left.before)) } : {}),
  };
};

export const presentRouter = (
  side: 'identityRouter' | 'serviceRouter',
  { left, right, effect, policies }: PairDifference,
  showPolicies: ShowPolicies,
): z.output<typeof routerChange> => {
  const isIdentity = side === 'identityRouter';
  const kind = isIdentity ? edgeRouterPolicy : serviceEdgeRouterPolicy;
  return {
    ...(isIdentity ? { identity: referenceToRow(identity, left) } : { service: referenceToRow(service, left) }),
    router: referenceToRow(edgeRouter, right),
    policies: showPolicies(policies[effect === 'lost' ? 'before' : 'after']).map(({ row }) => referenceToNamed(kind, row)),
  };
};

const reasonOf = (policy: PolicyState, who: RelatedRow | undefined): z.output<typeof accessReason> => {
  const validUntil = endOf(policy, who);
  return {
    policy: referenceToNamed(servicePolicy, policy.row),
    postureChecks: policy.checks.map((check) => referenceToNamed(postureCheck, check)),
    ...(validUntil === undefined ? {} : { validUntil }),
  };
};

const referenceToRow = (kind: Kind, { before, after }: RowBeforeAfter): EntityReference =>
  referenceToNamed(kind, after ?? before ?? { id: '', name: '' }); // the row exists in at least one state

const referenceToNamed = (kind: Kind, row: { readonly id: string; readonly name: string }): EntityReference =>
  referenceTo(kind, row as unknown as Row); // links of these kinds need no other fields
