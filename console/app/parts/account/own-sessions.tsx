import { useState } from 'preact/hooks';
import { useLoaded } from '../../loaded.ts';
import { client } from '../../session.ts';
import { texts } from '../../texts.ts';
import { CLIENT_ID } from '../../tokens.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Paging } from '../paging.tsx';
import { Problem } from '../problem.tsx';
import { Table } from '../table.tsx';
import { Value } from '../value.tsx';

const t = texts.account.sessions;
const LIMIT = 20;

type OwnSession = Awaited<ReturnType<typeof client.ownAccount.listSessions>>['data'][number];

/** The use of a session, as far as the controller knows it. */
const placeOf = ({ clientId }: OwnSession): string => (clientId === CLIENT_ID ? t.console : (clientId ?? t.api));

/** The own sessions, and buttons to end them. */
export const OwnSessions = () => {
  const [offset, setOffset] = useState(0);
  const [isEndingOthers, setEndingOthers] = useState(false);
  const [done, setDone] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const { value, error, reload } = useLoaded(`own sessions ${offset}`, (signal) =>
    client.ownAccount.listSessions({ sort: 'createdAt desc', limit: LIMIT, offset }, { signal }),
  );
  const act = async (work: Promise<unknown>, text: string): Promise<void> => {
    await work;
    setDone(text);
    reload();
  };
  const end = (id: string): void => {
    setFailure(undefined);
    act(client.ownAccount.endSession({ id }), t.ended).catch(setFailure);
  };
  const problem = failure ?? error;
  return (
    <section aria-labelledby="own-sessions">
      <h2 id="own-sessions">{t.title}</h2>
      {problem !== undefined && <Problem error={problem} retry={reload} />}
      <p role="status">{done}</p>
      {value && (
        <>
          <Table columns={[t.where, t.address, t.since, t.lastUsed, t.until, texts.action]}>
            <tbody>
              {value.data.map((each) => (
                <Row key={each.id} session={each} end={end} />
              ))}
            </tbody>
          </Table>
          <Paging {...value.pagination} shownCount={value.data.length} goTo={setOffset} />
          <p>
            <button type="button" class="danger" disabled={value.pagination.totalCount < 2} onClick={() => setEndingOthers(true)}>
              {t.endOthers}
            </button>
          </p>
        </>
      )}
      {isEndingOthers && (
        <ConfirmDialog
          title={t.endOthersTitle}
          text={t.endOthersText}
          action={t.endOthers}
          carryOut={() => act(client.ownAccount.endOtherSessions(), t.othersEnded)}
          close={() => setEndingOthers(false)}
        />
      )}
    </section>
  );
};

const Row = ({ session, end }: { readonly session: OwnSession; readonly end: (id: string) => void }) => {
  const { id, isCurrent, ipAddress, createdAt, lastActivityAt, expiresAt } = session;
  return (
    <tr>
      <th scope="row">
        {placeOf(session)} {isCurrent && <span class="chip">{t.own}</span>}
      </th>
      <td data-label={t.address}>{ipAddress}</td>
      <td data-label={t.since}>
        <Value value={createdAt} />
      </td>
      <td data-label={t.lastUsed}>
        <Value value={lastActivityAt} />
      </td>
      <td data-label={t.until}>
        <Value value={expiresAt} />
      </td>
      <td>
        {!isCurrent && (
          <button type="button" aria-label={t.endOf(placeOf(session), ipAddress)} onClick={() => end(id)}>
            {t.end}
          </button>
        )}
      </td>
    </tr>
  );
};
