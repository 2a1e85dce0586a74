import type { ComponentChildren } from 'preact';
import type { HealthReason } from '../../../client/index.ts';
import { type Entity, entityApi, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { countOf } from '../matching.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { EntityLink, FilteredLink } from './entity-link.tsx';
import { Problem } from './problem.tsx';

const t = texts.overviewHealth;
/** Maximum number of offline routers, and of offline controllers, that are named. */
const MAX_NAMED = 5;
const ENABLED = 'disabled = false';
const OFFLINE_ROUTERS = `${ENABLED} and online = false`;
const OFFLINE_CONTROLLERS = 'isOnline = false';

/** Entities of a kind, counted by the controller, and the first of those that are offline. */
interface Presence {
  readonly total: number;
  readonly offline: number;
  readonly named: readonly Entity[];
}

const presenceOf = async (group: string, all: string, offline: string, signal: AbortSignal): Promise<Presence> => {
  const [total, page] = await Promise.all([
    countOf(group, all, signal),
    entityApi(group).list({ filter: offline, sort: 'name', limit: MAX_NAMED }, { signal }),
  ]);
  return { total, offline: page.pagination.totalCount, named: page.data };
};

/** Of the offline routers of both kinds, the first by name among which transit routers are looked for. */
const MAX_READ = 100;

/** Transit routers alone: lists of routers contain edge routers, too. An edge router counts as offline here only if it is not connected. */
const transitPresence = async (signal: AbortSignal): Promise<Presence> => {
  const first = (group: string, filter: string) => entityApi(group).list({ filter, sort: 'name', limit: MAX_READ }, { signal });
  const [all, edge, offline, offlineEdge] = await Promise.all([
    countOf('transitRouters', ENABLED, signal),
    countOf('edgeRouters', ENABLED, signal),
    first('transitRouters', OFFLINE_ROUTERS),
    first('edgeRouters', 'disabled = false and connected = false'),
  ]);
  const edgeIds = new Set(offlineEdge.data.map(({ id }) => id));
  return {
    total: all - edge,
    offline: offline.pagination.totalCount - offlineEdge.pagination.totalCount,
    named: offline.data.filter(({ id }) => !edgeIds.has(id)).slice(0, MAX_NAMED),
  };
};

const readHealth = async ({ may }: Session, signal: AbortSignal) => {
  const mayListRouters = may('edgeRouters', 'list');
  const [{ version }, controllers, own, routers, existing, transit] = await Promise.all([
    client.informational.version({}, { signal }),
    may('controllers', 'list') ? presenceOf('controllers', '', OFFLINE_CONTROLLERS, signal) : undefined,
    may('controllers', 'getHealth') ? client.controllers.getHealth({}, { signal }) : undefined,
    mayListRouters ? presenceOf('edgeRouters', ENABLED, OFFLINE_ROUTERS, signal) : undefined,
    mayListRouters ? countOf('edgeRouters', '', signal) : undefined,
    mayListRouters && may('transitRouters', 'list') ? transitPresence(signal) : undefined,
  ]);
  return { version, controllers, own, routers, existing, transit };
};

type Reading = Awaited<ReturnType<typeof readHealth>>;

/** The state of the controllers and the routers, and what to do about it. */
export const Health = ({ session, turn }: { readonly session: Session; readonly turn: number }) => {
  const { value, error, reload } = useLoaded('health', (signal) => readHealth(session, signal), turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const reasons = reasonsIn(value);
  return (
    <section aria-labelledby="health">
      <h2 id="health">{texts.health}</h2>
      <div class={`notice ${gradeOf(value.own?.isHealthy, reasons.length)}`}>
        {reasons.length === 0 ? (
          <p>{texts.healthy}</p>
        ) : (
          <ul class="reasons">
            {reasons.map(({ key, text }) => (
              <li key={key}>{text}</li>
            ))}
          </ul>
        )}
        <p class="muted small">{figuresIn(value).join(' · ')}</p>
      </div>
    </section>
  );
};

const gradeOf = (isHealthy: boolean | undefined, reasons: number): 'good' | 'warn' | 'bad' => {
  if (isHealthy === false) return 'bad';
  return reasons === 0 ? 'good' : 'warn';
};

const figuresIn = ({ version, controllers, routers, existing = 0, transit }: Reading): readonly string[] => [
  texts.version(version ?? '?'),
  ...(controllers && controllers.total > 0 ? [t.controllers(controllers.total - controllers.offline, controllers.total)] : []),
  ...(routers && existing > 0 ? [t.routers(routers.total - routers.offline, routers.total)] : []),
  ...(routers && existing > routers.total ? [t.disabled(existing - routers.total)] : []),
  ...(transit && transit.total > 0 ? [t.transit(transit.total - transit.offline, transit.total)] : []),
];

interface Reason {
  readonly key: string;
  readonly text: ComponentChildren;
}

const reasonsIn = ({ own, controllers, routers, existing, transit }: Reading): readonly Reason[] => [
  ...(own?.reasons ?? [])
    .toSorted((one, other) => one.severity.localeCompare(other.severity))
    .map((reason) => ({ key: reason.message, text: reasonInWords(reason) })),
  ...(controllers && controllers.offline > 0 ? [offlineReason('controllers', controllers, OFFLINE_CONTROLLERS)] : []),
  ...(routers && routers.offline > 0 ? [offlineReason('edgeRouters', routers, OFFLINE_ROUTERS)] : []),
  ...(transit && transit.offline > 0 ? [offlineReason('transitRouters', transit, OFFLINE_ROUTERS)] : []),
  ...(existing === 0 ? [{ key: 'no routers', text: texts.noRouters }] : []),
];

/** The sentence of the controller, and what to do. */
const reasonInWords = ({ concerns, severity, message }: HealthReason): string =>
  [`${texts[severity]}: ${message}.`, texts.healthTodo[concerns]].join(' ');

const offlineReason = (group: 'controllers' | 'edgeRouters' | 'transitRouters', { offline, named }: Presence, filter: string): Reason => ({
  key: `offline ${group}`,
  text: (
    <>
      {t.offline[group]}{' '}
      {named.map((entity, index) => (
        <span key={entity.id}>
          {index > 0 && ', '}
          <EntityLink group={group} id={entity.id}>
            {titleOf(entity)}
          </EntityLink>
        </span>
      ))}
      {offline > named.length && (
        <>
          {' '}
          <FilteredLink group={group} filter={filter}>
            {t.more(offline - named.length)}
          </FilteredLink>
        </>
      )}
      . {t.offlineTodo[group]}
    </>
  ),
});
