import { Choices } from '../parts/choices.tsx';
import { FailedDials } from '../parts/failed-dials.tsx';
import { Heading } from '../parts/heading.tsx';
import { UsageChart } from '../parts/usage-chart.tsx';
import { UsageTable } from '../parts/usage-table.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { GROUPINGS, type Grouping, PERIODS, type Period, startOf } from '../usage-period.ts';

const t = texts.usage;

interface Props {
  readonly session: Session;
  /** The period, what the usage is grouped by, and the offset of the first failed dial to show. */
  readonly query: { readonly period?: string; readonly by?: string; readonly failed?: string };
}

/** The usage of the network in a period: bytes over time, who or what had the most, and the dials that failed. */
export const Usage = ({ session, query }: Props) => {
  const period = (PERIODS as readonly string[]).includes(query.period ?? '') ? (query.period as Period) : 'days'; // included
  const by = (GROUPINGS as readonly string[]).includes(query.by ?? '') ? (query.by as Grouping) : 'service'; // included
  const from = startOf(period);
  const address = (changes: Props['query']): string => hrefOf(['usage'], { period, by, ...changes });
  return (
    <>
      <Heading text={t.title} />
      <Choices label={t.period} chosen={period} names={t.periods} choices={PERIODS} hrefFor={(choice) => address({ period: choice })} />
      {session.may('usage', 'list') && (
        <>
          <UsageChart period={period} from={from} />
          <section aria-labelledby="most">
            <h2 id="most">{t.most}</h2>
            <Choices label={t.by} chosen={by} names={t.groupings} choices={GROUPINGS} hrefFor={(choice) => address({ by: choice })} />
            <UsageTable by={by} from={from} />
          </section>
        </>
      )}
      {session.may('journal', 'list') && (
        <FailedDials session={session} from={from} offset={query.failed} goTo={(offset) => goTo(address({ failed: String(offset) }))} />
      )}
    </>
  );
};
