import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { HealthReason } from '../../../src/client/index.ts';
import { entityApi, groupOfKind, kindOf, sections } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { Ends } from '../parts/ends.tsx';
import { ToEntity } from '../parts/entity-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

/** The counts to show first, as the summary of the API names them. */
const COUNTED = ['identities', 'services', 'servicePolicies', 'edgeRouters', 'apiSessions', 'sessions', 'circuits'];
const MAX_CHANGES = 12;
/** Kinds that people change; not the bookkeeping of sessions. */
const SHOWN = sections.flatMap(({ kinds }) => kinds.flatMap(({ kind }) => kind ?? []));
/** Further changes within this time are read together, in ms. */
const PAUSE_MS = 500;

/** Counts the changes as they are committed, so that what depends on them is read again. */
const useLive = (isAllowed: boolean): { readonly turn: number; readonly isLive: boolean | undefined } => {
  const [turn, setTurn] = useState(0);
  const [isLive, setLive] = useState<boolean>();
  useEffect(() => {
    if (!isAllowed) return;
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      const { data } = await client.changes.list({ order: 'newest', limit: 1 }, { signal: aborter.signal });
      const after = data[0]?.revision ?? 0;
      // What was read before may be older than the revision from which on changes are followed.
      setTurn((count) => count + 1);
      setLive(true);
      for await (const _ of client.changes.follow({ after, signal: aborter.signal })) {
        clearTimeout(timer);
        timer = setTimeout(() => setTurn((count) => count + 1), PAUSE_MS);
      }
    };
    follow().catch(() => (aborter.signal.aborted ? undefined : setLive(false)));
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [isAllowed]);
  return { turn, isLive };
};

export const Overview = ({ session }: { readonly session: Session }) => {
  const seesChanges = session.may('changes', 'list');
  const { turn, isLive } = useLive(seesChanges);
  return (
    <>
      <Heading text={texts.overview}>
        {isLive !== undefined && <span class={isLive ? 'live on' : 'live'}>{isLive ? texts.live : texts.notLive}</span>}
      </Heading>
      <Health session={session} turn={turn} />
      <Counts session={session} turn={turn} />
      <Ends session={session} turn={turn} />
      {seesChanges && <Changes turn={turn} />}
    </>
  );
};

interface Part {
  readonly session: Session;
  readonly turn: number;
}

const Counts = ({ session, turn }: Part) => {
  const { value, error, reload } = useLoaded(`counts ${turn}`, async (signal) => {
    const groups = COUNTED.filter((group) => session.may(group, 'list'));
    const pages = await Promise.all(groups.map((group) => countOf(group, signal)));
    return groups.map((group, index) => ({ group, count: pages[index] ?? 0 }));
  });
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">{texts.counts}</h2>
      <ul class="cards">
        {(value ?? []).map(({ group, count }) => (
          <li key={group}>
            <Card href={listHref(group)}>
              <span class="count">{count.toLocaleString('en')}</span>
              <span>{kindOf(group)?.label ?? labelOf(group)}</span>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Where a group is listed, if the host shows that. */
const listHref = (group: string): string | undefined => {
  if (!kindOf(group)) return settings.features.includes('traffic') ? hrefOf(['traffic']) : undefined;
  return settings.features.includes('entities') ? hrefOf(['entities', group]) : undefined;
};

/** A count, which leads to its list if the host shows lists. */
const Card = ({ href, children }: { readonly href: string | undefined; readonly children: ComponentChildren }) =>
  href === undefined ? (
    <span class="card">{children}</span>
  ) : (
    <a class="card" href={href}>
      {children}
    </a>
  );

const countOf = async (group: string, signal: AbortSignal): Promise<number> => {
  return (await entityApi(group).list({ limit: 1 }, { signal })).pagination.totalCount;
};

const Health = ({ session, turn }: Part) => {
  const { value, error, reload } = useLoaded(`health ${turn}`, async (signal) => {
    const [version, controllers, own, routers] = await Promise.all([
      client.informational.version({}, { signal }),
      session.may('controllers', 'list') ? client.controllers.list({}, { signal }) : undefined,
      session.may('controllers', 'getHealth') ? client.controllers.getHealth({}, { signal }) : undefined,
      session.may('edgeRouters', 'list') ? client.edgeRouters.list({ limit: 500, sort: 'name' }, { signal }) : undefined,
    ]);
    return { version: version.version, controllers: controllers?.data ?? [], own, routers };
  });
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { version, controllers, own, routers } = value;
  const offline = (routers?.data ?? []).filter(({ isOnline, disabled }) => !isOnline && !disabled);
  const controllersOnline = controllers.filter(({ isOnline }) => isOnline).length;
  const reasons = [
    ...(own?.reasons ?? []).toSorted((one, other) => one.severity.localeCompare(other.severity)).map(reasonInWords),
    ...(controllersOnline < controllers.length ? [texts.controllersOffline(controllers.length - controllersOnline)] : []),
    ...(offline.length > 0 ? [texts.routersOffline(listed(offline.map(({ name }) => name)))] : []),
    ...(routers?.pagination.totalCount === 0 ? [texts.noRouters] : []),
  ];
  return (
    <section aria-labelledby="health">
      <h2 id="health">{texts.health}</h2>
      <div class={`notice ${gradeOf(own?.isHealthy, reasons)}`}>
        {reasons.length === 0 ? (
          <p>{texts.healthy}</p>
        ) : (
          <ul class="reasons">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
        <p class="muted small">
          {[
            texts.version(version ?? '?'),
            ...(controllers.length > 0 ? [texts.controllersOnline(controllersOnline, controllers.length)] : []),
            ...(routers
              ? [`${texts.routers}: ${texts.routersOnline(routers.data.length - offline.length, routers.pagination.totalCount)}`]
              : []),
          ].join(' · ')}
        </p>
      </div>
    </section>
  );
};

const gradeOf = (isHealthy: boolean | undefined, reasons: readonly string[]): 'good' | 'warn' | 'bad' => {
  if (isHealthy === false) return 'bad';
  return reasons.length === 0 ? 'good' : 'warn';
};

/** The sentence of the controller, and what to do. */
const reasonInWords = ({ concerns, severity, message }: HealthReason): string =>
  [`${texts[severity]}: ${message}.`, texts.healthTodo[concerns]].join(' ');

const listed = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} ${texts.more(names.length - 5)}` : names.join(', ');

const Changes = ({ turn }: { readonly turn: number }) => {
  const { value, error, reload } = useLoaded(`changes ${turn}`, (signal) =>
    client.changes.list({ order: 'newest', limit: MAX_CHANGES, kinds: SHOWN }, { signal }),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{texts.changes}</h2>
      {value?.data.length === 0 && <p class="muted">{texts.noChanges}</p>}
      <ol class="changes">
        {(value?.data ?? []).map((change) => {
          const row = (change.after ?? change.before) as { readonly name?: unknown } | null; // most kinds have a name
          const group = groupOfKind(change.entity);
          const name = typeof row?.name === 'string' ? row.name : change.entityId;
          return (
            <li key={change.revision}>
              <Value value={change.at} />
              <span>
                {labelOf(change.entity)}{' '}
                {group && change.action !== 'delete' ? (
                  <ToEntity group={group} id={change.entityId}>
                    {name}
                  </ToEntity>
                ) : (
                  <strong>{name}</strong>
                )}{' '}
                {texts.actions[change.action] ?? change.action}
                {change.reason && <em class="muted"> – {change.reason}</em>}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
};
