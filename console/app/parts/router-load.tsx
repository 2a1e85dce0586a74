import { useLive } from '../live.ts';
import { useLoaded } from '../loaded.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { fullDate, rateText } from '../words.ts';
import { Bars } from './bars.tsx';

const t = texts.network;
const MINUTE = 60_000;

interface Props {
  readonly session: Session;
  readonly id: string;
}

/** The load of a router in the last day, as far as this controller has recorded it. */
export const RouterLoad = ({ session, id }: Props) => {
  const { rounds } = useLive(session.may('changes', 'list'));
  const { value } = useLoaded(`load ${id}`, (signal) => client.traffic.history({ id: [id] }, { signal }), rounds);
  const [load] = value?.routers ?? [];
  if (!value || !load) return null;
  const { received, sent } = load;
  const amounts = received.map((amount, index) => (amount ?? 0) + (sent[index] ?? 0));
  const beginOf = (index: number): string =>
    new Date(Date.parse(value.end) - ((value.points - index) * value.minutes * MINUTE) / value.points).toISOString();
  return (
    <section class="panel" aria-labelledby="load">
      <h2 id="load">{t.load}</h2>
      <Bars
        amounts={amounts}
        caption={t.loadOfDay(rateText(Math.max(...amounts)), rateText(amounts.at(-1) ?? 0))}
        titleOf={(index) => `${fullDate(beginOf(index))}: ${t.rates(rateText(received[index]), rateText(sent[index]))}`}
      />
    </section>
  );
};
