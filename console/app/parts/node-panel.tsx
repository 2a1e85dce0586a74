import { useLoaded } from '../loaded.ts';
import { readNames } from '../names.ts';
import type { GraphRouter, NetworkGraph } from '../network-graph.ts';
import type { NetworkNode } from '../network-groups.ts';
import { texts } from '../texts.ts';
import { rateText } from '../words.ts';
import { EntityLink } from './entity-link.tsx';
import { RouterState } from './router-state.tsx';
import { Table } from './table.tsx';

const t = texts.network;
const { latency, milliseconds } = texts.traffic;
/** Number of names in a list. */
const NAMED = 12;

interface Props {
  readonly graph: NetworkGraph;
  readonly node: NetworkNode;
  readonly showRouter: (id: string) => void;
}

/** The subject of a node in the picture: its routers, their links to others, the identities that dial there and the services. */
export const NodePanel = ({ graph, node, showRouter }: Props) => {
  const { routers, label } = node;
  return (
    <section class="panel" aria-labelledby="selected" aria-live="polite">
      <h2 id="selected">{label}</h2>
      {routers.length === 1 && routers[0] ? (
        <p>
          <EntityLink group={routers[0].group} id={routers[0].id}>
            {routers[0].name}
          </EntityLink>{' '}
          <RouterState state={routers[0].state} /> {routers[0].roleAttributes.map((attribute) => `#${attribute}`).join(' ')}
        </p>
      ) : (
        <Routers routers={routers} showRouter={showRouter} />
      )}
      <Clients ids={[...new Set(routers.flatMap(({ clients }) => clients))]} />
      <Services services={new Map(routers.flatMap(({ services }) => [...services]))} />
      {routers.length === 1 && routers[0] && <LinksOf graph={graph} router={routers[0]} showRouter={showRouter} />}
    </section>
  );
};

const Routers = ({ routers, showRouter }: { readonly routers: readonly GraphRouter[]; readonly showRouter: (id: string) => void }) => (
  <p>
    {routers.slice(0, NAMED).map(({ id, name, state }) => (
      <span key={id}>
        <button type="button" class="quiet" onClick={() => showRouter(id)}>
          {name}
        </button>{' '}
        <RouterState state={state} />{' '}
      </span>
    ))}
    {routers.length > NAMED && t.more(routers.length - NAMED)}
  </p>
);

/** The first identities that dial over a router, by name. Those that the session may not read are only counted. */
const Clients = ({ ids }: { readonly ids: readonly string[] }) => {
  const first = ids.slice(0, NAMED);
  const { value: names } = useLoaded(`clients ${first.join(' ')}`, (signal) => readNames('identities', first, signal));
  return <Names group="identities" title={t.identities(ids.length)} names={names ?? new Map()} total={ids.length} />;
};

const Services = ({ services }: { readonly services: ReadonlyMap<string, string> }) => (
  <Names group="services" title={t.services(services.size)} names={new Map([...services].slice(0, NAMED))} total={services.size} />
);

interface NamesProps {
  readonly group: string;
  readonly title: string;
  readonly names: ReadonlyMap<string, string>;
  readonly total: number;
}

const Names = ({ group, title, names, total }: NamesProps) =>
  total > 0 && (
    <p>
      {title}:{' '}
      {[...names].map(([id, name], index) => (
        <span key={id}>
          {index > 0 && ', '}
          <EntityLink group={group} id={id}>
            {name}
          </EntityLink>
        </span>
      ))}
      {total > names.size && <span class="muted"> {t.more(total - names.size)}</span>}
    </p>
  );

interface LinksProps {
  readonly graph: NetworkGraph;
  readonly router: GraphRouter;
  readonly showRouter: (id: string) => void;
}

/** The links of a router, those with the most circuits first. */
const LinksOf = ({ graph, router, showRouter }: LinksProps) => {
  const names = new Map(graph.routers.map(({ id, name }) => [id, name]));
  const links = graph.links
    .filter(({ ends }) => ends.includes(router.id))
    .toSorted((one, other) => other.circuits - one.circuits || one.cost - other.cost);
  if (links.length === 0) return <p class="muted">{t.noLinks}</p>;
  return (
    <>
      <Table columns={[t.to, t.protocol, t.cost, latency, t.load, t.circuits]}>
        <tbody>
          {links.slice(0, NAMED).map(({ ends: [one, other], protocols, cost, latency: measured, bytes, circuits }) => {
            const neighbour = one === router.id ? other : one;
            return (
              <tr key={neighbour}>
                <th scope="row">
                  <button type="button" class="quiet" onClick={() => showRouter(neighbour)}>
                    {names.get(neighbour) ?? neighbour}
                  </button>
                </th>
                <td data-label={t.protocol}>{protocols.join(', ')}</td>
                <td data-label={t.cost}>{cost}</td>
                <td data-label={latency}>{measured > 0 ? milliseconds(measured) : '–'}</td>
                <td data-label={t.load}>{rateText(bytes)}</td>
                <td data-label={t.circuits}>{circuits}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {links.length > NAMED && <p class="muted">{t.more(links.length - NAMED)}</p>}
    </>
  );
};
