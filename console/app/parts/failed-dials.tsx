import { offsetIn, readPageAt } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { EntityLink } from './entity-link.tsx';
import { Paging } from './paging.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';
import { Value } from './value.tsx';

const t = texts.usage;
const PAGE = 50;

interface Props {
  readonly session: Session;
  readonly from: string;
  readonly offset: string | undefined;
  readonly goTo: (offset: number) => void;
}

/** The dials that failed since a time, newest first, with the cause in words and the way to its explanation. */
export const FailedDials = ({ session, from, offset, goTo }: Props) => {
  const { value, error, reload } = useLoaded(`failed ${from} ${offset}`, (signal) =>
    readPageAt(offsetIn(offset), PAGE, (at) =>
      client.journal.list({ filter: 'outcome = "failed"', from, limit: PAGE, offset: at }, { signal }),
    ),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { data, pagination } = value;
  const mayExplain = session.may('access', 'explain') && settings.features.includes('access');
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">{t.failed(pagination.totalCount)}</h2>
      {data.length === 0 ? (
        <p class="muted">{t.noneFailed}</p>
      ) : (
        <>
          <Table columns={[t.when, t.identity, t.service, t.dials, t.reason]}>
            <tbody>
              {data.map(({ id, begin, identity, service, dials, reason }) => (
                <tr key={id}>
                  <th scope="row">
                    <Value value={begin} shape="date" />
                  </th>
                  <td data-label={t.identity}>
                    <EntityLink group="identities" id={identity.id}>
                      {identity.name || identity.id}
                    </EntityLink>
                  </td>
                  <td data-label={t.service}>
                    <EntityLink group="services" id={service.id}>
                      {service.name || service.id}
                    </EntityLink>
                  </td>
                  <td data-label={t.dials}>{texts.number(dials)}</td>
                  <td data-label={t.reason}>
                    {reason} {mayExplain && <a href={hrefOf(['access', 'explain', identity.id, service.id])}>{t.why}</a>}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
          <Paging {...pagination} shownCount={data.length} goTo={goTo} />
        </>
      )}
    </section>
  );
};
