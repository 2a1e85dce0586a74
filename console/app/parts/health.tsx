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
/** Numbers of offline routers and controllers that are named. */
const MAX_NAMED = 5;
const ENABLED = 'disabled = false';
const OFFLINE_ROUTERS = 'disabled = false and online = false';
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

const readHealth = async ({ may }: Session, signal: AbortSignal) => {
  const [{ version }, controllers, own, routers, existing] = await Promise.all([
    client.informational.version({}, { signal }),
    may('controllers', 'list') ? presenceOf('controllers', '', OFFLINE_CONTROLLERS, signal) : undefined,
    may('controllers', 'getHealth') ? client.controllers.getHealth({}, { signal }) : undefined,
    may('edgeRouters', 'list') ? presenceOf('edgeRouters', ENABLED, OFFLINE_ROUTERS, signal) : undefined,
    may('edgeRouters', 'list') ? countOf('edgeRouters', '', signal) : undefined,
  ]);
  return { version, controllers, own, routers, existing };
};

type Reading = Awaited<ReturnType<typeof readHealth>>;

/** The state of the controllers and the edge routers, and what to do about it. */
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

const figuresIn = ({ version, controllers, routers, existing = 0 }: Reading): readonly string[] => [
  texts.version(version ?? '?'),
  ...(controllers && controllers.total > 0 ? [t.controllers(controllers.total - controllers.offline, controllers.total)] : []),
  ...(routers && existing > 0 ? [t.routers(routers.total - routers.offline, routers.total)] : []),
  ...(routers && existing > routers.total ? [t.disabled(existing - routers.total)] : []),
];

interface Reason {
  readonly key: string;
  readonly text: ComponentChildren;
}

const reasonsIn = ({ own, controllers, routers, existing }: Reading): readonly Reason[] => [
  ...(own?.reasons ?? [])
    .toSorted((one, other) => one.severity.localeCompare(other.severity))
    .map((reason) => ({ key: reason.message, text: reasonInWords(reason) })),
  ...(controllers && controllers.offline > 0 ? [offlineReason('controllers', controllers, OFFLINE_CONTROLLERS)] : []),
  ...(routers && routers.offline > 0 ? [offlineReason('edgeRouters', routers, OFFLINE_ROUTERS)] : []),
  ...(existing === 0 ? [{ key: 'no routers', text: texts.noRouters }] : []),
];

/** The sentence of the controller, and what to do. */
const reasonInWords = ({ concerns, severity, message }: HealthReason): string =>
  [`${texts[severity]}: ${message}.`, texts.healthTodo[concerns]].join(' ');

const offlineReason = (group: 'controllers' | 'edgeRouters', { offline, named }: Presence, filter: string): Reason => ({
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
