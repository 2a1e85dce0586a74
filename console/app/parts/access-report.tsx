import type { AccessChange, AccessComparison, RouterChange } from '../../../client/index.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { EntityLink, ReferenceLink } from './entity-link.tsx';
import { Value } from './value.tsx';

/** The effect of a change on access: the pairs that gain and lose it. */
export type Report = Omit<AccessComparison, 'from' | 'to'>;

const t = texts.whatIf;

/** True if a change neither gives nor takes anything, and ends nothing. */
export const isWithoutEffect = ({ counts }: Report): boolean =>
  Object.entries(counts).every(([name, count]) => name === 'unchanged' || count === 0);

/** A report of a change. Losses come first, because they must not be overlooked. */
export const AccessReportView = ({ report }: { readonly report: Report }) => {
  const { counts } = report;
  return (
    <div class="report">
      {isWithoutEffect(report) ? <p class="notice good">{t.nothing(counts.unchanged)}</p> : <Summary counts={counts} />}
      <Changes title={t.lost(counts.lost)} tone="bad" changes={report.lost} count={counts.lost} />
      <Changes title={t.gained(counts.gained)} tone="good" changes={report.gained} count={counts.gained} />
      <Changes title={t.changed(counts.changed)} tone="warn" changes={report.changed} count={counts.changed} />
      <Routers title={t.routersLost(counts.routersLost)} changes={report.routersLost} />
      <Routers title={t.routersGained(counts.routersGained)} changes={report.routersGained} />
      {counts.brokenTests > 0 && (
        <section class="notice bad">
          <h3>{t.brokenTests(counts.brokenTests)}</h3>
          <ul class="reasons">
            {report.brokenTests.map((policyTest) => (
              <li key={policyTest.id}>
                <ReferenceLink group="policyTests" reference={policyTest} />
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
    <Figure count={counts.lost} label={t.figures.lost(counts.lost)} tone="bad" />
    <Figure count={counts.gained} label={t.figures.gained(counts.gained)} tone="good" />
    <Figure count={counts.changed} label={t.figures.changed()} tone="warn" />
    <Figure count={counts.sessions} label={t.figures.sessions(counts.sessions)} tone="warn" />
    <Figure count={counts.circuits} label={t.figures.circuits(counts.circuits)} tone="warn" />
    <Figure count={counts.unchanged} label={t.figures.unchanged()} tone="" />
  </ul>
);

const Figure = ({ count, label, tone }: { readonly count: number; readonly label: string; readonly tone: string }) => (
  <li class={count > 0 ? tone : 'muted'}>
    <strong>{texts.number(count)}</strong> {label}
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
            <ReferenceLink group="identities" reference={change.identity} /> {t.verbs[change.type]}{' '}
            <ReferenceLink group="services" reference={change.service} /> <span class="muted small">{conditionsOf(change)}</span>
            {change.validUntil && (
              <span class="muted small">
                {' '}
                {t.until} <Value value={change.validUntil} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {changes.length < count && <p class="muted small">{t.truncated(changes.length, count)}</p>}
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
            <EntityLink group={identity ? 'identities' : 'services'} id={(identity ?? service)?.id ?? ''}>
              {nameOf(identity ?? service ?? router)}
            </EntityLink>{' '}
            – <ReferenceLink group="edgeRouters" reference={router} />
          </li>
        ))}
      </ul>
    </section>
  );
