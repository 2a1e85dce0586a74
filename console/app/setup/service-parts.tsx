import type { ComponentChildren } from 'preact';
import type { FormObject, FormValue } from '../entered.ts';
import { entityApi, titleOf } from '../kinds.ts';
import { type Loaded, useLoaded } from '../loaded.ts';
import { mayList } from '../names.ts';
import { Problem } from '../parts/problem.tsx';
import { useNames } from '../references.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf, textOf } from '../words.ts';
import type { Coverage } from './router-coverage.ts';
import { wayHref } from './ways.ts';

const t = texts.setup.publish;
/** Edge routers that are offered as hosts; others are found by their names. */
const MAX_OFFERED = 3;

interface TunnelersProps {
  readonly session: Session;
  readonly choose: (selector: string) => void;
}

/** Buttons for the edge routers that host services themselves. Each is an identity with the id of the router. */
export const Tunnelers = ({ session, choose }: TunnelersProps) => {
  const { value } = useLoaded('tunnelers', async (signal) =>
    session.may('edgeRouters', 'list') && mayList('identities')
      ? (await entityApi('edgeRouters').list({ filter: 'isTunnelerEnabled = true', sort: 'name', limit: MAX_OFFERED }, { signal })).data
      : [],
  );
  if (!value || value.length === 0) return null;
  return (
    <div class="actions">
      <span class="muted small">{t.tunnelers}</span>
      {value.map((router) => (
        <button key={router.id} type="button" onClick={() => choose(`@${router.id}`)}>
          {titleOf(router)}
        </button>
      ))}
    </div>
  );
};

interface CoverageProps {
  readonly session: Session;
  readonly coverage: Loaded<Coverage>;
}

/** The number of routers, and the policies that are missing. */
export const CoverageNotes = ({ session, coverage: { value, error, reload } }: CoverageProps) => {
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { routers, without, ofIdentities, ofService } = value;
  const c = t.coverage;
  const href = wayHref(session, 'edgeRouters');
  return (
    <div class={ofIdentities || ofService || routers?.total === 0 ? 'notice warn' : 'notice good'} role="status">
      {routers && (
        <p>
          {routers.total === 0 ? c.noRouters : c.routers(routers.online, routers.total)}{' '}
          {routers.total === 0 && href && <a href={href}>{c.addRouter}</a>}
        </p>
      )}
      {ofIdentities && <p>{c.without(without.length)}</p>}
      {ofService && <p>{c.uncarried}</p>}
      <p>{ofIdentities || ofService ? c.missing : c.covered}</p>
    </div>
  );
};

interface SummaryProps {
  readonly shown: FormObject;
  readonly coverage: Coverage | undefined;
}

const SUMMARISED = ['name', 'addresses', 'ports', 'protocols', 'hostAddress'] as const;

/** The entries, before they are published. */
export const ServiceSummary = ({ shown, coverage }: SummaryProps) => {
  const isLacking = coverage !== undefined && (coverage.ofIdentities || coverage.ofService);
  return (
    <dl class="fields">
      {SUMMARISED.map((name) => (
        <Row key={name} name={name} text={textOf(shown[name])} />
      ))}
      <Row name="hostPort" text={shown['hostPort'] ? textOf(shown['hostPort']) : t.samePort} />
      <Row name="hostedBy" text={<Selection group="identities" shown={shown['hostedBy']} />} />
      <Row name="usedBy" text={<Selection group="identities" shown={shown['usedBy']} />} />
      {isLacking && <Row name="edgeRouters" text={<Selection group="edgeRouters" shown={shown['edgeRouters']} />} />}
    </dl>
  );
};

const Row = ({ name, text }: { readonly name: string; readonly text: ComponentChildren }) => (
  <div>
    <dt>{texts.setup.labels[name] ?? labelOf(name)}</dt>
    <dd>{text}</dd>
  </div>
);

/** Selectors, with the names of entities instead of their ids. */
const Selection = ({ group, shown }: { readonly group: string; readonly shown: FormValue | undefined }) => {
  const entries = Array.isArray(shown) ? shown.map(String) : [];
  const ids = entries.flatMap((entry) => (entry.startsWith('@') ? [entry.slice(1)] : []));
  const nameOf = useNames(group, ids);
  return <>{textOf(entries.map((entry) => (entry.startsWith('@') ? `@${nameOf(entry.slice(1)) ?? entry.slice(1)}` : entry)))}</>;
};
