/** The nodes of the picture of a network: routers or groups of routers, and what is attached to them. */
import type { GraphLink, GraphRouter, NetworkGraph } from './network-graph.ts';
import { texts } from './texts.ts';

const t = texts.network;

export interface NetworkNode {
  readonly key: string;
  readonly label: string;
  readonly kind: 'router' | 'routers' | 'identities' | 'services';
  /** The worst state of its routers that are not disabled; undefined for identities and services. */
  readonly state?: GraphRouter['state'];
  /** The routers that it stands for, or whose identities or services it counts. */
  readonly routers: readonly GraphRouter[];
  /** The key of the node beside which it is shown. */
  readonly beside?: string;
}

export interface NetworkEdge {
  readonly ends: readonly [string, string];
  /** The links that it stands for; none for what is attached to a router. */
  readonly links: readonly GraphLink[];
}

export interface NetworkNodes {
  readonly nodes: readonly NetworkNode[];
  readonly edges: readonly NetworkEdge[];
}

export type Grouping = 'routers' | 'attributes';

/** With more routers than this, identities and services are left out, and routers with the same role attributes are one node. */
const MANY = 60;

/** The grouping that is shown first. */
export const usualGrouping = ({ routers }: NetworkGraph): Grouping =>
  routers.length > MANY && Map.groupBy(routers, attributesOf).size <= MANY ? 'attributes' : 'routers';

const attributesOf = ({ roleAttributes }: GraphRouter): string =>
  roleAttributes
    .map((attribute) => `#${attribute}`)
    .toSorted()
    .join(' ');

export const networkNodes = (graph: NetworkGraph, grouping: Grouping): NetworkNodes => {
  const nodes = grouping === 'routers' ? graph.routers.map(routerNode) : groupNodes(graph.routers);
  const keyOf = new Map(nodes.flatMap(({ key, routers }) => routers.map(({ id }) => [id, key] as const)));
  const attached = nodes.length > MANY ? [] : nodes.flatMap(attachedNodes);
  return {
    nodes: [...nodes, ...attached],
    edges: [
      ...linkEdges(graph.links, keyOf),
      ...attached.flatMap(({ key, beside }): readonly NetworkEdge[] => (beside ? [{ ends: [beside, key], links: [] }] : [])),
    ],
  };
};

const routerNode = (router: GraphRouter): NetworkNode => ({
  key: router.id,
  label: router.name,
  kind: 'router',
  state: router.state,
  routers: [router],
});

const groupNodes = (routers: readonly GraphRouter[]): readonly NetworkNode[] =>
  [...Map.groupBy(routers, attributesOf)].map(([attributes, members]) => ({
    key: `group ${attributes}`,
    label: `${attributes || t.noAttributes} (${texts.number(members.length)})`,
    kind: 'routers',
    state: worstState(members),
    routers: members,
  }));

const worstState = (routers: readonly GraphRouter[]): GraphRouter['state'] =>
  (['offline', 'online'] as const).find((state) => routers.some((router) => router.state === state)) ?? 'disabled';

/** The identities that dial over the routers of a node, and the services at them: one node each. */
const attachedNodes = ({ key, routers }: NetworkNode): readonly NetworkNode[] => {
  const clients = new Set(routers.flatMap((router) => router.clients)).size;
  const services = new Set(routers.flatMap((router) => [...router.services.keys()])).size;
  const attached = (kind: 'identities' | 'services', count: number, label: string): readonly NetworkNode[] =>
    count > 0 ? [{ key: `${kind} ${key}`, label, kind, routers, beside: key }] : [];
  return [...attached('identities', clients, t.identities(clients)), ...attached('services', services, t.services(services))];
};

/** Joins the links between the routers of the same two nodes. Links within a group are not shown. */
const linkEdges = (links: readonly GraphLink[], keyOf: ReadonlyMap<string, string>): readonly NetworkEdge[] => {
  const known = links.flatMap((link) => {
    const [one, other] = [keyOf.get(link.ends[0]), keyOf.get(link.ends[1])];
    return one === undefined || other === undefined || one === other ? [] : [{ link, ends: one < other ? [one, other] : [other, one] }];
  });
  return [...Map.groupBy(known, ({ ends }) => ends.join('\n')).values()].flatMap((joined) => {
    const [one, other] = joined[0]?.ends ?? [];
    return one === undefined || other === undefined ? [] : { ends: [one, other] as const, links: joined.map(({ link }) => link) };
  });
};
