import { useState } from 'preact/hooks';
import type { Circuit } from '../../../client/index.ts';
import { offsetIn, readPageAt } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { type RouterGroupOf, readNames, readRouterGroups } from '../names.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { nameOf } from '../words.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { EntityLink, ReferenceLink } from './entity-link.tsx';
import { Paging } from './paging.tsx';
import { Problem } from './problem.tsx';
import { Table } from './table.tsx';
import { Value } from './value.tsx';

const t = texts.traffic;
const PAGE = 50;

interface Props {
  readonly session: Session;
  readonly offset: string | undefined;
  readonly turn: number;
  readonly goTo: (offset: number) => void;
  /** Called after a circuit has ended. */
  readonly refresh: () => void;
}

/** A page of circuits, oldest first, and the names of the identities that dialed. */
const readCircuits = async (offset: number, signal: AbortSignal) => {
  const { data, pagination } = await readPageAt(offset, PAGE, (from) =>
    client.circuits.list({ limit: PAGE, offset: from, sort: 'createdAt' }, { signal }),
  );
  const [names, groupOf] = await Promise.all([
    readNames(
      'identities',
      data.map(({ clientId }) => clientId),
      signal,
    ),
    readRouterGroups(
      data.flatMap(({ path }) => path.nodes.map(({ id }) => id)),
      signal,
    ),
  ]);
  return { data, pagination, names, groupOf };
};

/** The circuits, page by page. */
export const CircuitList = ({ session, offset, turn, goTo, refresh }: Props) => {
  const [ending, setEnding] = useState<Circuit>();
  const { value, error, reload } = useLoaded(`circuits ${offset}`, (signal) => readCircuits(offsetIn(offset), signal), turn);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p>{texts.loading}</p>;
  const { data, pagination, names, groupOf } = value;
  return (
    <section aria-labelledby="circuits">
      <h2 id="circuits">{t.circuits(pagination.totalCount)}</h2>
      {data.length === 0 ? (
        <p class="muted">{t.noCircuits}</p>
      ) : (
        <>
          <Table columns={[t.service, t.client, t.path, t.since, ...(session.may('circuits', 'delete') ? [t.end] : [])]}>
            <tbody>
              {data.map((circuit) => (
                <CircuitRow
                  key={circuit.id}
                  circuit={circuit}
                  client={names.get(circuit.clientId)}
                  groupOf={groupOf}
                  end={session.may('circuits', 'delete') ? setEnding : undefined}
                />
              ))}
            </tbody>
          </Table>
          <Paging {...pagination} shownCount={data.length} goTo={goTo} />
        </>
      )}
      {ending && (
        <ConfirmDialog
          title={t.endTitle(nameOf(ending.service))}
          text={t.endText}
          action={t.endAction}
          carryOut={async () => {
            await client.circuits.delete({ id: ending.id });
            refresh();
          }}
          close={() => setEnding(undefined)}
        />
      )}
    </section>
  );
};

interface RowProps {
  readonly circuit: Circuit;
  /** The name of the identity that dialed; undefined if the session does not see it. */
  readonly client: string | undefined;
  readonly groupOf: RouterGroupOf;
  readonly end: ((circuit: Circuit) => void) | undefined;
}

const CircuitRow = ({ circuit, client, groupOf, end }: RowProps) => {
  const { service, clientId, path, createdAt } = circuit;
  return (
    <tr>
      <th scope="row">
        <ReferenceLink reference={service} />
      </th>
      <td data-label={t.client}>
        {client === undefined ? (
          <span class="muted">{t.unknownClient}</span>
        ) : (
          <EntityLink group="identities" id={clientId}>
            {client}
          </EntityLink>
        )}
      </td>
      <td data-label={t.path}>
        {path.nodes.map((router, index) => (
          <span key={router.id}>
            {index > 0 && ' → '}
            <ReferenceLink reference={router} group={groupOf(router.id)} />
          </span>
        ))}
      </td>
      <td data-label={t.since}>
        <Value value={createdAt} shape="date" />
      </td>
      {end && (
        <td>
          <button type="button" class="danger" onClick={() => end(circuit)}>
            {t.end}
          </button>
        </td>
      )}
    </tr>
  );
};
