/** Reads what the picture of the network contains. */
import { type ListPage, readFirst } from './list-page.ts';
import { type GraphCollection, graphLinks, graphRouters, type NetworkGraph } from './network-graph.ts';
import type { Rights } from './rights.ts';
import { client } from './session.ts';

/** The operations that the picture needs. */
export const maySeeNetwork = ({ may }: Rights): boolean => may('links', 'list') && may('edgeRouters', 'list');

const MAX = { edgeRouters: 2000, transitRouters: 2000, links: 10_000, circuits: 5000, terminators: 5000 } as const satisfies Readonly<
  Record<GraphCollection, number>
>;

/** Reads a list up to the number that the picture can contain. */
const readAll = async <T extends { readonly id: string }>(
  collection: GraphCollection,
  read: (range: { readonly limit: number; readonly offset: number }) => Promise<ListPage<T>>,
) => {
  const { data, totalCount } = await readFirst(MAX[collection], read);
  return { data, partial: data.length < totalCount ? [collection] : [] };
};

const NOTHING = { data: [], partial: [] } as const;

/** Reads the network, without the circuits and terminators that the session may not list. */
export const readNetwork = async ({ may }: Rights, signal: AbortSignal): Promise<NetworkGraph> => {
  const options = { signal };
  const [edgeRouters, transitRouters, links, circuits, terminators, load] = await Promise.all([
    readAll('edgeRouters', (range) => client.edgeRouters.list({ ...range, sort: 'id' }, options)),
    may('transitRouters', 'list')
      ? readAll('transitRouters', (range) => client.transitRouters.list({ ...range, sort: 'id' }, options))
      : NOTHING,
    readAll('links', (range) => client.links.list({ ...range, sort: 'id' }, options)),
    may('circuits', 'list') ? readAll('circuits', (range) => client.circuits.list({ ...range, sort: 'createdAt' }, options)) : NOTHING,
    may('terminators', 'list') ? readAll('terminators', (range) => client.terminators.list({ ...range, sort: 'id' }, options)) : NOTHING,
    may('traffic', 'history') ? client.traffic.history({}, options) : undefined,
  ]);
  return {
    routers: graphRouters([...edgeRouters.data, ...transitRouters.data], circuits.data, terminators.data),
    links: graphLinks(
      links.data,
      circuits.data,
      new Map(load?.links.flatMap(({ id, bytes: [bytes] }) => (bytes == null ? [] : [[id, bytes]]))),
    ),
    partial: [edgeRouters, transitRouters, links, circuits, terminators].flatMap(({ partial }) => partial),
  };
};
