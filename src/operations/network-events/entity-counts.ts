import type { Core } from '../../call/core.ts';
import { kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { ALL } from '../../query/index.ts';
import { inView, tableOf } from '../../store/changelog/views.ts';
import { ENTITY_TYPES, entityTypeOf } from './entity-states.ts';

type Counts = Readonly<Record<string, number>>;

/** Time for which counts are shared by followers. ms */
const SHARED_MS = 1000;

/** The latest counts; `at` is undefined until they are complete. */
const shared = new WeakMap<Core, { at?: number; readonly counts: Promise<Counts> }>();

/** The numbers of entities, by their type in events; those of the edge API also under `routers.edge` and `services.edge`. */
export const countEntities = (core: Core): Promise<Counts> => {
  const { clock } = core.platform;
  const last = shared.get(core);
  if (last && (last.at === undefined || Math.abs(clock.now() - last.at) < SHARED_MS)) return last.counts;
  const counts = count(core);
  const counted: { at?: number; readonly counts: Promise<Counts> } = { counts };
  shared.set(core, counted);
  const note = () => {
    counted.at = clock.now();
  };
  counts.then(note, note);
  return counts;
};

const count = ({ store }: Core): Promise<Counts> =>
  store.transaction('read', async (tx) => {
    const counts = new Map(ENTITY_TYPES.map((type) => [type, 0]));
    const of = (kind: Kind) => tx.count(tableOf(kind), inView(kind, ALL));
    for (const kind of Object.values<Kind>(kinds)) {
      const type = entityTypeOf(kind.kind);
      // Edge routers are rows of the table of routers.
      if (type !== undefined && !kind.view) counts.set(type, await of(kind));
    }
    counts.set('controllers', await of(kinds.controller));
    counts.set('routers.edge', await of(kinds.edgeRouter));
    counts.set('services.edge', counts.get('services') ?? 0);
    return Object.fromEntries([...counts].sort());
  });
