import { useLoaded } from '../loaded.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import { type Period, SPANS, spansFrom } from '../usage-period.ts';
import { bytesText, fullDate } from '../words.ts';
import { Bars } from './bars.tsx';
import { Problem } from './problem.tsx';

const t = texts.usage;

/** More than the spans of any period. */
const MAX_SPANS = 100;

interface Props {
  readonly period: Period;
  readonly from: string;
}

/** The bytes of each hour or day of a period, as bars. */
export const UsageChart = ({ period, from }: Props) => {
  const { value, error, reload } = useLoaded(`usage ${period} ${from}`, (signal) =>
    client.usage.list({ by: [SPANS[period].by], from, limit: MAX_SPANS }, { signal }),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const bytes = new Map(value.data.map(({ begin, bytesSent, bytesReceived }) => [Date.parse(begin ?? ''), bytesSent + bytesReceived]));
  const spans = spansFrom(period, from);
  const amounts = spans.map((begin) => bytes.get(Date.parse(begin)) ?? 0);
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  if (total === 0) return <p class="muted">{t.none}</p>;
  return (
    <Bars
      amounts={amounts}
      caption={t.chart(bytesText(total), bytesText(Math.max(...amounts)))}
      titleOf={(index) => `${fullDate(spans[index] ?? '')}: ${bytesText(amounts[index] ?? 0)}`}
    />
  );
};
