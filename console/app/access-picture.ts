/** What the picture of a subject shows, from its policies: one node for each policy and one for what it selects on the other side, however many that are. */
import type { PictureEdge, PictureNode } from './parts/picture.tsx';
import { hrefOf } from './router.ts';
import { client } from './session.ts';
import { texts } from './texts.ts';

const t = texts.access;

/** The kinds that a picture is about. */
export type SubjectGroup = 'identities' | 'services' | 'edgeRouters';

export interface AccessPicture {
  readonly columns: readonly (readonly PictureNode[])[];
  readonly edges: readonly PictureEdge[];
  /** Number of policies that select the subject; only the first ones are shown. */
  readonly policyCount: number;
}

/** Number of policies that a picture shows of each kind. */
export const MAX_POLICIES = 20;

interface Policy {
  readonly id: string;
  readonly name: string;
  readonly semantic: string;
}

/** A policy, with what it selects on the other side. */
interface Related {
  readonly policy: Policy;
  readonly group: 'servicePolicies' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies';
  readonly tone: PictureEdge['tone'];
  readonly conditions: readonly string[];
  readonly roles: readonly string[];
  readonly count: number;
  readonly selects: 'identities' | 'services';
}

/** Reads the policies of an identity, a service or an edge router. */
export const readPicture = async (group: SubjectGroup, id: string, name: string, signal: AbortSignal): Promise<AccessPicture> => {
  if (group === 'edgeRouters') return routerPicture(id, name, signal);
  const { related, policyCount } = await servicePoliciesOf(group, id, signal);
  const subject = subjectNode(group, id, name);
  const others = related.map(groupNode);
  const policies = related.map(policyNode);
  const columns = group === 'identities' ? [[subject], policies, others] : [others, policies, [subject]];
  const edges = related.flatMap((each, index): readonly PictureEdge[] => {
    const [policy, other] = [policies[index]?.key ?? '', others[index]?.key ?? ''];
    const label = [each.policy.name, ...each.conditions].join(' – ');
    return group === 'identities'
      ? [
          { from: subject.key, to: policy, label, tone: each.tone },
          { from: policy, to: other, label, tone: each.tone },
        ]
      : [
          { from: other, to: policy, label, tone: each.tone },
          { from: policy, to: subject.key, label, tone: each.tone },
        ];
  });
  return { columns, edges, policyCount };
};

const servicePoliciesOf = async (group: 'identities' | 'services', id: string, signal: AbortSignal) => {
  const input = { id, limit: MAX_POLICIES, sort: 'name' };
  const page =
    group === 'identities'
      ? await client.identities.listServicePolicies(input, { signal })
      : await client.services.listServicePolicies(input, { signal });
  const related = await Promise.all(
    page.data.map(async (policy): Promise<Related> => {
      const selects = group === 'identities' ? 'services' : 'identities';
      const ofPolicy = { id: policy.id, limit: 1 };
      const members =
        selects === 'services'
          ? await client.servicePolicies.listServices(ofPolicy, { signal })
          : await client.servicePolicies.listIdentities(ofPolicy, { signal });
      const display = selects === 'services' ? policy.serviceRolesDisplay : policy.identityRolesDisplay;
      return {
        policy,
        group: 'servicePolicies',
        tone: policy.type === 'Bind' ? 'bind' : 'dial',
        conditions: (policy.postureCheckRolesDisplay ?? []).map(({ name }) => String(name)),
        roles: (display ?? []).map(({ name }) => String(name)),
        count: members.pagination.totalCount,
        selects,
      };
    }),
  );
  return { related, policyCount: page.pagination.totalCount };
};

const routerPicture = async (id: string, name: string, signal: AbortSignal): Promise<AccessPicture> => {
  const input = { id, limit: MAX_POLICIES, sort: 'name' };
  const [ofIdentities, ofServices] = await Promise.all([
    client.edgeRouters.listEdgeRouterPolicies(input, { signal }),
    client.edgeRouters.listServiceEdgeRouterPolicies(input, { signal }),
  ]);
  const left = await Promise.all(
    ofIdentities.data.map(
      async (policy): Promise<Related> => ({
        policy,
        group: 'edgeRouterPolicies',
        tone: 'router',
        conditions: [],
        roles: (policy.identityRolesDisplay ?? []).map(({ name: role }) => String(role)),
        count: (await client.edgeRouterPolicies.listIdentities({ id: policy.id, limit: 1 }, { signal })).pagination.totalCount,
        selects: 'identities',
      }),
    ),
  );
  const right = await Promise.all(
    ofServices.data.map(
      async (policy): Promise<Related> => ({
        policy,
        group: 'serviceEdgeRouterPolicies',
        tone: 'router',
        conditions: [],
        roles: (policy.serviceRolesDisplay ?? []).map(({ name: role }) => String(role)),
        count: (await client.serviceEdgeRouterPolicies.listServices({ id: policy.id, limit: 1 }, { signal })).pagination.totalCount,
        selects: 'services',
      }),
    ),
  );
  const subject = subjectNode('edgeRouters', id, name);
  const way = (from: PictureNode | undefined, to: PictureNode | undefined, { policy }: Related): PictureEdge => ({
    from: from?.key ?? '',
    to: to?.key ?? '',
    label: policy.name,
    tone: 'router',
  });
  const [leftGroups, leftPolicies, rightPolicies, rightGroups] = [
    left.map(groupNode),
    left.map(policyNode),
    right.map(policyNode),
    right.map(groupNode),
  ];
  return {
    columns: [leftGroups, leftPolicies, [subject], rightPolicies, rightGroups],
    edges: [
      ...left.flatMap((each, i) => [way(leftGroups[i], leftPolicies[i], each), way(leftPolicies[i], subject, each)]),
      ...right.flatMap((each, i) => [way(subject, rightPolicies[i], each), way(rightPolicies[i], rightGroups[i], each)]),
    ],
    policyCount: ofIdentities.pagination.totalCount + ofServices.pagination.totalCount,
  };
};

const subjectNode = (group: SubjectGroup, id: string, name: string): PictureNode => ({
  key: id,
  label: name,
  detail: t.subjects[group],
  href: hrefOf(['entities', group, id]),
  shape: 'subject',
});

const policyNode = ({ policy, group, tone, conditions }: Related): PictureNode => ({
  key: `policy ${policy.id}`,
  label: policy.name,
  detail: [...(tone === 'router' ? [] : [t.verbs[tone === 'bind' ? 'Bind' : 'Dial']]), ...conditions].join(' · '),
  href: hrefOf(['entities', group, policy.id]),
  shape: 'policy',
});

const groupNode = ({ policy, roles, count, selects }: Related): PictureNode => ({
  key: `group ${policy.id}`,
  label: roles.includes('#all') ? t.everything : roles.join(policy.semantic === 'AllOf' ? t.and : t.or),
  detail: selects === 'identities' ? t.identitiesOf(count) : t.servicesOf(count),
  shape: 'group',
});
