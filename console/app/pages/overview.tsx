import type { ComponentChildren } from 'preact';
import type { Change } from '../../../client/index.ts';
import { groupOfKind, kindOf, sections } from '../kinds.ts';
import { turnOf, turnOfAll, useLive } from '../live.ts';
import { useLoaded } from '../loaded.ts';
import { countOf } from '../matching.ts';
import { readNames } from '../names.ts';
import { ownerIn } from '../owners.ts';
import { EntityLink } from '../parts/entity-link.tsx';
import { ExpiryList, isUrgent, readEnds } from '../parts/expiry-list.tsx';
import { Heading } from '../parts/heading.tsx';
import { Health } from '../parts/health.tsx';
import { LiveBadge, MissedChanges } from '../parts/live-badge.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { FirstSteps } from '../setup/first-steps.tsx';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

/** The groups whose entities are counted. */
const COUNTED = ['identities', 'services', 'servicePolicies', 'edgeRouters', 'apiSessions', 'sessions', 'circuits'];
const MAX_CHANGES = 12;
/** The kinds whose certificates and tokens expire. */
const ENDING = ['ca', 'externalJwtSigner', 'apiToken'];
/** Kinds that people change; not the bookkeeping of sessions. */
const SHOWN = sections.flatMap(({ kinds }) => kinds.flatMap(({ kind }) => kind ?? []));

/** The state of the network, with what needs someone first. */
export const Overview = ({ session }: { readonly session: Session }) => {
  const seesChanges = session.may('changes', 'list');
  const live = useLive(seesChanges);
  const ends = useLoaded('ends', (signal) => readEnds(session, signal), turnOf(live, ENDING));
  const isEnding = ends.value !== undefined && isUrgent(ends.value);
  return (
    <>
      <Heading text={texts.overview}>{seesChanges && <LiveBadge live={live} />}</Heading>
      <MissedChanges live={live} />
      <FirstSteps session={session} turn={turnOfAll(live)} />
      <Health session={session} turn={turnOfAll(live)} />
      {ends.error !== undefined && <Problem error={ends.error} retry={ends.reload} />}
      {ends.value && isEnding && <ExpiryList {...ends.value} />}
      <Counts session={session} turn={turnOfAll(live)} />
      {ends.value && !isEnding && <ExpiryList {...ends.value} />}
      {seesChanges && <Changes turn={turnOf(live, SHOWN)} />}
    </>
  );
};

interface SectionProps {
  readonly session: Session;
  readonly turn: number;
}

const Counts = ({ session, turn }: SectionProps) => {
  const read = async (signal: AbortSignal) => {
    const groups = COUNTED.filter((group) => session.may(group, 'list'));
    return Promise.all(groups.map(async (group) => ({ group, count: await countOf(group, '', signal) })));
  };
  const { value, error, reload } = useLoaded('counts', read, turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">{texts.counts}</h2>
      <ul class="cards">
        {(value ?? []).map(({ group, count }) => (
          <li key={group}>
            <Card href={listHref(group)}>
              <span class="count">{texts.number(count)}</span>
              <span>{kindOf(group)?.label ?? labelOf(group)}</span>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The address of the list of a group; undefined if the host has disabled such pages. */
const listHref = (group: string): string | undefined => {
  if (!kindOf(group)) return settings.features.includes('traffic') ? hrefOf(['traffic']) : undefined;
  return settings.features.includes('entities') ? hrefOf(['entities', group]) : undefined;
};

/** A count, which is a link to its list unless the host has disabled lists. */
const Card = ({ href, children }: { readonly href: string | undefined; readonly children: ComponentChildren }) =>
  href === undefined ? (
    <span class="card">{children}</span>
  ) : (
    <a class="card" href={href}>
      {children}
    </a>
  );

/** Newest changes, with the names of the identities that entities without a name belong to. */
const readChanges = async (signal: AbortSignal) => {
  const { data } = await client.changes.list({ order: 'newest', limit: MAX_CHANGES, kinds: SHOWN }, { signal });
  const owners = data.flatMap((change) => ownerIn(rowOf(change)) ?? []);
  return { data, names: await readNames('identities', owners, signal) };
};

type Row = Readonly<Record<string, unknown>>;

const rowOf = ({ after, before }: Change): Row => after ?? before ?? {};

/** Most kinds have a name; the others say what they are, and whose. */
const titleIn = (row: Row, names: ReadonlyMap<string, string>): string => {
  const { name, username, method, address, type } = row;
  if (typeof name === 'string') return name;
  const title = [username, method, address, type].find((each) => typeof each === 'string');
  const owner = names.get(ownerIn(row) ?? '');
  return [title, owner === undefined ? undefined : texts.ofOwner(owner)].filter(Boolean).join(' ');
};

const Changes = ({ turn }: { readonly turn: number }) => {
  const { value, error, reload } = useLoaded('changes', readChanges, turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{texts.changes}</h2>
      {value?.data.length === 0 && <p class="muted">{texts.noChanges}</p>}
      <ol class="changes">
        {value?.data.map((change) => (
          <ChangeItem key={change.revision} change={change} title={titleIn(rowOf(change), value.names)} />
        ))}
      </ol>
    </section>
  );
};

const ChangeItem = ({ change, title }: { readonly change: Change; readonly title: string }) => {
  const { at, entity, entityId, action, reason } = change;
  const group = groupOfKind(entity);
  return (
    <li>
      <Value value={at} shape="date" />
      <span>
        {labelOf(entity)}{' '}
        {group && action !== 'delete' ? (
          <EntityLink group={group} id={entityId}>
            {title}
          </EntityLink>
        ) : (
          <strong>{title}</strong>
        )}{' '}
        {texts.actions[action] ?? action}
        {reason && <em class="muted"> – {reason}</em>}
      </span>
    </li>
  );
};
