import { useState } from 'preact/hooks';
import { ApiError } from '../../../../client/index.ts';
import { useLoaded } from '../../loaded.ts';
import { bodyFieldsOf } from '../../schema.ts';
import { client, type Session } from '../../session.ts';
import { texts } from '../../texts.ts';
import { ActionForm } from '../action-form.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Paging } from '../paging.tsx';
import { Problem } from '../problem.tsx';
import { SecretText } from '../secret-text.tsx';
import { Table } from '../table.tsx';
import { Value } from '../value.tsx';

const t = texts.account.tokens;
const LIMIT = 20;

type Token = Awaited<ReturnType<typeof client.currentApiTokens.list>>['data'][number];
type NewToken = Parameters<typeof client.currentApiTokens.create>[0]['body'];

/** The own API tokens: created, shown once and revoked. */
export const OwnTokens = ({ session }: { readonly session: Session }) => {
  const [offset, setOffset] = useState(0);
  const [secret, setSecret] = useState<string>();
  const [revoked, setRevoked] = useState<Token>();
  const [isAllowed, setAllowed] = useState(true);
  const [done, setDone] = useState('');
  const { value, error, reload } = useLoaded(`own tokens ${offset}`, (signal) =>
    client.currentApiTokens.list({ sort: 'createdAt desc', limit: LIMIT, offset }, { signal }),
  );
  const create = async (body: object): Promise<void> => {
    try {
      setSecret((await client.currentApiTokens.create({ body: body as NewToken })).secret); // the form has the fields of the schema
      setDone('');
      reload();
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== 'NOT_CONFIGURED') throw failure;
      setAllowed(false);
    }
  };
  const revoke = async (id: string): Promise<void> => {
    await client.currentApiTokens.delete({ id });
    setSecret(undefined);
    setDone(t.revoked);
    reload();
  };
  return (
    <section aria-labelledby="own-tokens">
      <h2 id="own-tokens">{t.title}</h2>
      <p>{t.hint}</p>
      {error !== undefined && <Problem error={error} retry={reload} />}
      <p role="status">{done}</p>
      {secret !== undefined && (
        <div class="notice good">
          <p>{t.created}</p>
          <SecretText text={secret} />
        </div>
      )}
      {value && value.pagination.totalCount === 0 && <p class="muted">{t.none}</p>}
      {value && value.pagination.totalCount > 0 && (
        <>
          <Table columns={[t.name, t.expires, t.lastUsed, texts.action]}>
            <tbody>
              {value.data.map((each) => (
                <Row key={each.id} token={each} revoke={() => setRevoked(each)} />
              ))}
            </tbody>
          </Table>
          <Paging {...value.pagination} shownCount={value.data.length} goTo={setOffset} />
        </>
      )}
      {isAllowed ? (
        <details>
          <summary>{t.create}</summary>
          <ActionForm
            name="token"
            fields={bodyFieldsOf(session, 'currentApiTokens', 'create')}
            actions={[{ label: t.create, style: 'primary', act: create }]}
          />
        </details>
      ) : (
        <p class="notice">{t.notAllowed}</p>
      )}
      {revoked && (
        <ConfirmDialog
          title={t.revokeTitle(revoked.name)}
          text={t.revokeText}
          action={t.revoke}
          carryOut={() => revoke(revoked.id)}
          close={() => setRevoked(undefined)}
        />
      )}
    </section>
  );
};

const Row = ({ token: { name, expiresAt, lastActivityAt }, revoke }: { readonly token: Token; readonly revoke: () => void }) => (
  <tr>
    <th scope="row">{name}</th>
    <td data-label={t.expires}>
      <Value value={expiresAt} />
    </td>
    <td data-label={t.lastUsed}>
      <Value value={lastActivityAt} />
    </td>
    <td>
      <button type="button" class="danger" aria-label={t.revokeOf(name)} onClick={revoke}>
        {t.revoke}
      </button>
    </td>
  </tr>
);
