import type { UsageGroup } from '../../../client/index.ts';
import { useLoaded } from '../loaded.ts';
import { client } from '../session.ts';
import { texts } from '../texts.ts';
import type { Grouping } from '../usage-period.ts';
import { bytesText } from '../words.ts';
import { EntityLink } from './entity-link.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';

const t = texts.usage;
const LENGTH = 10;

/** The group of the API whose pages the names lead to. */
const GROUPS: Readonly<Record<Grouping, string>> = { service: 'services', identity: 'identities', router: 'edgeRouters' };

interface Props {
  readonly by: Grouping;
  readonly from: string;
}

/** The services, identities or routers with the most bytes since a time. */
export const UsageTable = ({ by, from }: Props) => {
  const { value, error, reload } = useLoaded(`most ${by} ${from}`, (signal) =>
    client.usage.list({ by: [by], from, sort: 'bytes desc', limit: LENGTH }, { signal }),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  if (value.data.length === 0) return <p class="muted">{t.none}</p>;
  return (
    <Table columns={[t.groupings[by], t.circuits, t.sent, t.received]}>
      <tbody>
        {value.data.map((row) => (
          <UsageRow key={row[by]?.id} row={row} by={by} />
        ))}
      </tbody>
    </Table>
  );
};

const UsageRow = ({ row, by }: { readonly row: UsageGroup; readonly by: Grouping }) => {
  const named = row[by];
  return (
    <tr>
      <th scope="row">
        {named ? (
          <EntityLink group={GROUPS[by]} id={named.id}>
            {named.name || named.id}
          </EntityLink>
        ) : (
          <span class="muted">{t.others}</span>
        )}
      </th>
      <td data-label={t.circuits}>{texts.number(row.circuits)}</td>
      <td data-label={t.sent}>{bytesText(row.bytesSent)}</td>
      <td data-label={t.received}>{bytesText(row.bytesReceived)}</td>
    </tr>
  );
};
