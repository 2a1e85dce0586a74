import type { AccessChange, AccessComparison, RouterChange } from '../../../src/client/index.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { EntityLink, ToEntity } from './entity-link.tsx';
import { Value } from './value.tsx';

/** Who gains and who loses what by a change. */
export type Report = Omit<AccessComparison, 'from' | 'to'>;

const t = texts.whatIf;

/** A report in words: what is lost first, because nobody wants to find that last. */
export const AccessReportView = ({ report }: { readonly report: Report }) => {
  const { counts } = report;
  const isNothing = Object.entries(counts).every(([name, count]) => name === 'unchanged' || count === 0);
  return (
    <div class="report">
      {isNothing ? <p class="notice good">{t.nothing(counts.unchanged)}</p> : <Summary counts={counts} />}
      <Changes title={t.lost(counts.lost)} tone="bad" changes={report.lost} count={counts.lost} />
      <Changes title={t.gained(counts.gained)} tone="good" changes={report.gained} count={counts.gained} />
      <Changes title={t.changed(counts.changed)} tone="warn" changes={report.changed} count={counts.changed} />
      <Routers title={t.routersLost(counts.routersLost)} changes={report.routersLost} />
      <Routers title={t.routersGained(counts.routersGained)} changes={report.routersGained} />
      {counts.brokenTests > 0 && (
        <section class="notice bad">
          <h3>{t.brokenTests(counts.brokenTests)}</h3>
          <ul class="reasons">
            {report.brokenTests.map((each) => (
              <li key={each.id}>
                <EntityLink group="policyTests" reference={each} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
};

const Summary = ({ counts }: { readonly counts: Report['counts'] }) => (
  <ul class="figures" aria-label={t.summary}>
    <Figure count={counts.lost} label={t.losesAccess} tone="bad" />
    <Figure count={counts.gained} label={t.gainsAccess} tone="good" />
    <Figure count={counts.changed} label={t.otherConditions} tone="warn" />
    <Figure count={counts.sessions} label={t.sessionsEnd} tone="warn" />
    <Figure count={counts.circuits} label={t.circuitsEnd} tone="warn" />
    <Figure count={counts.unchanged} label={t.staysAsItIs} tone="" />
  </ul>
);

const Figure = ({ count, label, tone }: { readonly count: number; readonly label: string; readonly tone: string }) => (
  <li class={count > 0 ? tone : 'muted'}>
    <strong>{count.toLocaleString('en')}</strong> {label}
  </li>
);

interface ChangesProps {
  readonly title: string;
  readonly tone: string;
  readonly changes: readonly AccessChange[];
  readonly count: number;
}

const Changes = ({ title, tone, changes, count }: ChangesProps) =>
  changes.length === 0 ? null : (
    <section>
      <h3 class={tone}>{title}</h3>
      <ul class="pairs">
        {changes.map((change) => (
          <li key={`${change.identity.id} ${change.service.id} ${change.type}`}>
            <EntityLink group="identities" reference={change.identity} /> {t.verbs[change.type]}{' '}
            <EntityLink group="services" reference={change.service} /> <span class="muted small">{conditionsOf(change)}</span>
            {change.validUntil && (
              <span class="muted small">
                {' '}
                {t.until} <Value value={change.validUntil} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {changes.length < count && <p class="muted small">{t.shown(changes.length, count)}</p>}
    </section>
  );

const conditionsOf = ({ policies }: AccessChange): string => {
  const checks = policies.flatMap(({ postureChecks }) => postureChecks.map(nameOf));
  const via = t.by(policies.map(({ policy }) => nameOf(policy)).join(', '));
  return checks.length === 0 ? via : `${via}; ${t.ifPassing([...new Set(checks)].join(', '))}`;
};

const Routers = ({ title, changes }: { readonly title: string; readonly changes: readonly RouterChange[] }) =>
  changes.length === 0 ? null : (
    <section>
      <h3>{title}</h3>
      <ul class="pairs">
        {changes.map(({ identity, service, router }) => (
          <li key={`${identity?.id} ${service?.id} ${router.id}`}>
            <ToEntity group={identity ? 'identities' : 'services'} id={(identity ?? service)?.id ?? ''}>
              {nameOf(identity ?? service ?? router)}
            </ToEntity>{' '}
            – <EntityLink group="edgeRouters" reference={router} />
          </li>
        ))}
      </ul>
    </section>
  );
