import { useState } from 'preact/hooks';
import type { GraphRouter, NetworkGraph } from '../network-graph.ts';
import { texts } from '../texts.ts';
import { EntityLink } from './entity-link.tsx';
import { Paging } from './paging.tsx';
import { RouterState } from './router-state.tsx';
import { Table } from './table.tsx';

const t = texts.network;
const PAGE = 25;

interface Props {
  readonly graph: NetworkGraph;
  readonly showRouter: (id: string) => void;
}

/** The routers of a picture: those that are offline first, then those with the most circuits. */
export const RouterTable = ({ graph: { routers, links }, showRouter }: Props) => {
  const [offset, setOffset] = useState(0);
  const linkCounts = new Map<string, number>();
  for (const { ends, count } of links) for (const id of ends) linkCounts.set(id, (linkCounts.get(id) ?? 0) + count);
  const sorted = routers.toSorted(byUrgency);
  const from = offset < sorted.length ? offset : 0;
  const page = sorted.slice(from, from + PAGE);
  return (
    <section aria-labelledby="routers">
      <h2 id="routers">{t.routers(routers.length)}</h2>
      <Table columns={[t.router, t.state, t.links, t.circuits, t.dialing, t.hosted, t.show]}>
        <tbody>
          {page.map((router) => (
            <Row key={router.id} router={router} links={linkCounts.get(router.id) ?? 0} show={() => showRouter(router.id)} />
          ))}
        </tbody>
      </Table>
      {sorted.length > PAGE && <Paging limit={PAGE} offset={from} totalCount={sorted.length} shownCount={page.length} goTo={setOffset} />}
    </section>
  );
};

const byUrgency = (one: GraphRouter, other: GraphRouter): number =>
  Number(other.state === 'offline') - Number(one.state === 'offline') ||
  other.circuits - one.circuits ||
  one.name.localeCompare(other.name);

const Row = ({ router, links, show }: { readonly router: GraphRouter; readonly links: number; readonly show: () => void }) => (
  <tr>
    <th scope="row">
      <EntityLink group={router.group} id={router.id}>
        {router.name}
      </EntityLink>
    </th>
    <td data-label={t.state}>
      <RouterState state={router.state} />
    </td>
    <td data-label={t.links}>{links}</td>
    <td data-label={t.circuits}>{router.circuits}</td>
    <td data-label={t.dialing}>{router.clients.length}</td>
    <td data-label={t.hosted}>{router.services.size}</td>
    <td>
      <button type="button" onClick={show} aria-label={t.showRouter(router.name)}>
        {t.show}
      </button>
    </td>
  </tr>
);
