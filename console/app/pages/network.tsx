import { useState } from 'preact/hooks';
import { turnOf, useLive } from '../live.ts';
import { useLoaded } from '../loaded.ts';
import type { NetworkGraph } from '../network-graph.ts';
import { type Grouping, networkNodes, usualGrouping } from '../network-groups.ts';
import { Empty } from '../parts/empty.tsx';
import { Heading } from '../parts/heading.tsx';
import { LiveBadge } from '../parts/live-badge.tsx';
import { NetworkPicture } from '../parts/network-picture.tsx';
import { NodePanel } from '../parts/node-panel.tsx';
import { Picker } from '../parts/picker.tsx';
import { Problem } from '../parts/problem.tsx';
import { RouterTable } from '../parts/router-table.tsx';
import { readNetwork } from '../read-network.ts';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { FirstSetup } from '../setup/setup-link.tsx';
import { texts } from '../texts.ts';

const t = texts.network;
/** The kinds in the picture that the change log contains. */
const KINDS = ['edgeRouter', 'router', 'terminator', 'service'];

/** The selection, and the grouping of routers. */
export interface NetworkQuery {
  /** The key of the selected node: a router's id, or a group. */
  readonly node?: string | undefined;
  readonly by?: string | undefined;
}

interface Props {
  readonly session: Session;
  readonly query: NetworkQuery;
}

/** The network in one picture: routers, links, and how many circuits, identities and services are at each. */
export const Network = ({ session, query }: Props) => {
  const seesChanges = session.may('changes', 'list');
  const live = useLive(seesChanges);
  const [turn, setTurn] = useState(0);
  const { value, error, reload } = useLoaded('network', (signal) => readNetwork(session, signal), turnOf(live, KINDS) + live.rounds + turn);
  return (
    <>
      <Heading text={t.title}>
        {seesChanges && <LiveBadge live={live} />}
        <button type="button" onClick={() => setTurn(turn + 1)}>
          {t.refresh}
        </button>
      </Heading>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {value ? <Shown session={session} graph={value} query={query} /> : error === undefined && <p>{texts.loading}</p>}
    </>
  );
};

const groupingIn = (text: string | undefined): Grouping | undefined => (text === 'routers' || text === 'attributes' ? text : undefined);

const Shown = ({ session, graph, query }: Props & { readonly graph: NetworkGraph }) => {
  const by = groupingIn(query.by) ?? usualGrouping(graph);
  const shown = networkNodes(graph, by);
  const selected = shown.nodes.find(({ key }) => key === query.node);
  const show = (changes: NetworkQuery): void => goTo(hrefOf(['network'], { ...query, ...changes }), { isReplacing: true });
  const showRouter = (id: string): void => show({ node: id, by: 'routers' });
  if (graph.routers.length === 0)
    return (
      <Empty icon="router" text={t.noRouters}>
        <FirstSetup session={session} group="edgeRouters" />
      </Empty>
    );
  return (
    <>
      {graph.partial.length > 0 && <p class="notice warn">{t.partial(graph.partial.map((collection) => t.collections[collection]))}</p>}
      <div class="columns">
        <div class="picker">
          <label for="grouping">{t.grouping}</label>
          <select id="grouping" value={by} onChange={({ currentTarget }) => show({ by: currentTarget.value, node: undefined })}>
            {(['routers', 'attributes'] as const).map((each) => (
              <option key={each} value={each}>
                {t.groupings[each]}
              </option>
            ))}
          </select>
        </div>
        <Picker label={t.find} group="edgeRouters" choose={({ id }) => showRouter(id)} />
      </div>
      <NetworkPicture
        {...shown}
        title={t.picture(graph.routers.length, graph.links.length)}
        selected={selected?.key}
        select={({ key }) => show({ node: key })}
      />
      {selected && <NodePanel graph={graph} node={selected} showRouter={showRouter} />}
      <RouterTable graph={graph} showRouter={showRouter} />
    </>
  );
};
