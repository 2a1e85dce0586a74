/** The picture of a subject: one node for each of its policies, and one for everything that the policy selects on the other side. */
import { entityHref, filteredHref } from './links.ts';
import type { PictureEdge, PictureNode } from './picture-layout.ts';
import type { Rights } from './rights.ts';
import { namesIn, type Role, selectionFilter, selectionText } from './selection.ts';
import { client } from './session.ts';
import { texts } from './texts.ts';
import { fullDate } from './words.ts';

const t = texts.access;

/** The kinds that can be the subject of a picture. */
export type SubjectGroup = 'identities' | 'services' | 'edgeRouters';

export interface AccessPicture {
  readonly columns: readonly (readonly PictureNode[])[];
  readonly edges: readonly PictureEdge[];
  /** Number of policies on all pages: that of the kind with the most policies. */
  readonly policyCount: number;
  /** Number of policies on this page, counted in the same way. */
  readonly shownCount: number;
}

/** Number of policies of each kind on a page of a picture. */
export const POLICIES_SHOWN = 20;

/** The operations that a picture needs. */
const REQUIRED_OPERATIONS: Readonly<Record<SubjectGroup, readonly (readonly [group: string, verb: string])[]>> = {
  identities: [
    ['identities', 'listServicePolicies'],
    ['servicePolicies', 'listServices'],
  ],
  services: [
    ['services', 'listServicePolicies'],
    ['servicePolicies', 'listIdentities'],
  ],
  edgeRouters: [
    ['edgeRouters', 'listEdgeRouterPolicies'],
    ['edgeRouters', 'listServiceEdgeRouterPolicies'],
    ['edgeRouterPolicies', 'listIdentities'],
    ['serviceEdgeRouterPolicies', 'listServices'],
  ],
};

/** True if a session may read everything that the pictures of a kind show. */
export const mayPicture = ({ may }: Rights, group: SubjectGroup): boolean =>
  REQUIRED_OPERATIONS[group].every(([operationGroup, verb]) => may(operationGroup, verb));

interface Policy {
  readonly id: string;
  readonly name: string;
  readonly semantic: string;
  readonly validUntil?: string | undefined;
}

/** A policy, with the roles that it selects on the side other than the subject's. */
interface RelatedPolicy {
  readonly policy: Policy;
  readonly group: 'servicePolicies' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies';
  readonly tone: PictureEdge['tone'];
  readonly conditions: readonly string[];
  readonly roles: readonly Role[];
  readonly count: number;
  readonly selects: 'identities' | 'services';
}

/** The subject of a picture, and the offset of the page of its policies. */
export interface PictureQuery {
  readonly group: SubjectGroup;
  readonly id: string;
  readonly name: string;
  readonly offset: number;
}

/** Reads a page of the policies of an identity, a service or an edge router. */
export const readPicture = async (query: PictureQuery, signal: AbortSignal): Promise<AccessPicture> => {
  const { group, id, name } = query;
  if (group === 'edgeRouters') return routerPicture(query, signal);
  const { related, policyCount } = await servicePoliciesOf(group, query, signal);
  const subject = subjectNode(group, id, name);
  const [others, policies] = [related.map(groupNode), related.map(policyNode)];
  const counts = { policyCount, shownCount: related.length };
  return group === 'identities'
    ? { columns: [[subject], policies, others], edges: related.flatMap((each) => edgesFrom(subject, each)), ...counts }
    : { columns: [others, policies, [subject]], edges: related.flatMap((each) => edgesInto(subject, each)), ...counts };
};

const servicePoliciesOf = async (group: 'identities' | 'services', query: PictureQuery, signal: AbortSignal) => {
  const selects = group === 'identities' ? 'services' : 'identities';
  const page = await client[group].listServicePolicies(pageOf(query), { signal });
  const related = await Promise.all(
    page.data.map(async (policy): Promise<RelatedPolicy> => {
      const input = { id: policy.id, limit: 1 };
      const members =
        selects === 'services'
          ? await client.servicePolicies.listServices(input, { signal })
          : await client.servicePolicies.listIdentities(input, { signal });
      return {
        policy,
        group: 'servicePolicies',
        tone: policy.type === 'Bind' ? 'bind' : 'dial',
        conditions: namesIn(policy.postureCheckRolesDisplay),
        roles: (selects === 'services' ? policy.serviceRolesDisplay : policy.identityRolesDisplay) ?? [],
        count: members.pagination.totalCount,
        selects,
      };
    }),
  );
  return { related, policyCount: page.pagination.totalCount };
};

const pageOf = ({ id, offset }: PictureQuery) => ({ id, offset, limit: POLICIES_SHOWN, sort: 'name' });

const routerPicture = async (query: PictureQuery, signal: AbortSignal): Promise<AccessPicture> => {
  const [ofIdentities, ofServices] = await Promise.all([
    client.edgeRouters.listEdgeRouterPolicies(pageOf(query), { signal }),
    client.edgeRouters.listServiceEdgeRouterPolicies(pageOf(query), { signal }),
  ]);
  const related = (policy: Policy, others: Pick<RelatedPolicy, 'group' | 'roles' | 'count' | 'selects'>): RelatedPolicy => ({
    policy,
    tone: 'router',
    conditions: [],
    ...others,
  });
  const left = await Promise.all(
    ofIdentities.data.map(async (policy) => {
      const { pagination } = await client.edgeRouterPolicies.listIdentities({ id: policy.id, limit: 1 }, { signal });
      const roles = policy.identityRolesDisplay ?? [];
      return related(policy, { group: 'edgeRouterPolicies', roles, count: pagination.totalCount, selects: 'identities' });
    }),
  );
  const right = await Promise.all(
    ofServices.data.map(async (policy) => {
      const { pagination } = await client.serviceEdgeRouterPolicies.listServices({ id: policy.id, limit: 1 }, { signal });
      const roles = policy.serviceRolesDisplay ?? [];
      return related(policy, { group: 'serviceEdgeRouterPolicies', roles, count: pagination.totalCount, selects: 'services' });
    }),
  );
  const subject = subjectNode('edgeRouters', query.id, query.name);
  return {
    columns: [left.map(groupNode), left.map(policyNode), [subject], right.map(policyNode), right.map(groupNode)],
    edges: [...left.flatMap((each) => edgesInto(subject, each)), ...right.flatMap((each) => edgesFrom(subject, each))],
    policyCount: Math.max(ofIdentities.pagination.totalCount, ofServices.pagination.totalCount),
    shownCount: Math.max(left.length, right.length),
  };
};

/** The edges from the selected group to the policy, and from the policy to the subject. */
const edgesInto = (subject: PictureNode, related: RelatedPolicy): readonly PictureEdge[] => {
  const [policy, other] = [policyNode(related).key, groupNode(related).key];
  const { tone } = related;
  const label = labelOf(related);
  return [
    { from: other, to: policy, label, tone },
    { from: policy, to: subject.key, label, tone },
  ];
};

/** The same edges in the opposite direction, from the subject. */
const edgesFrom = (subject: PictureNode, related: RelatedPolicy): readonly PictureEdge[] =>
  edgesInto(subject, related)
    .map(({ from, to, ...edge }) => ({ ...edge, from: to, to: from }))
    .toReversed();

const labelOf = ({ policy, conditions }: RelatedPolicy): string => [policy.name, ...conditions].join(' – ');

const subjectNode = (group: SubjectGroup, id: string, name: string): PictureNode => ({
  key: id,
  label: name,
  detail: t.subjects[group],
  href: entityHref(group, id),
  shape: 'subject',
});

const policyNode = ({ policy, group, tone, conditions }: RelatedPolicy): PictureNode => ({
  key: `policy ${policy.id}`,
  label: policy.name,
  detail: [
    ...(tone === 'router' ? [] : [t.verbs[tone === 'bind' ? 'Bind' : 'Dial']]),
    ...(policy.validUntil ? [`${t.until} ${fullDate(policy.validUntil)}`] : []),
    ...conditions,
  ].join(' · '),
  href: entityHref(group, policy.id),
  shape: 'policy',
});

/** Links to the list of the selected entities, because a group may have thousands of members. */
const groupNode = ({ policy, roles, count, selects }: RelatedPolicy): PictureNode => ({
  key: `group ${policy.id}`,
  label: selectionText(policy.semantic, roles),
  detail: selects === 'identities' ? t.identitiesOf(count) : t.servicesOf(count),
  href: filteredHref(selects, selectionFilter(policy.semantic, roles)),
  shape: 'group',
});
