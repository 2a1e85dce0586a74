import type { Core } from '../../call/core.ts';
import { keptSecret, terminator } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { idAfter } from '../../query/index.ts';
import type { SecretKeys, Secrets } from '../../runtime/platform/secrets.ts';
import { type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { sealedUnderSecretKey, sealText, secretKeyNameIn, unsealText } from '../../store/entities/sealed.ts';
import { newId } from '../../store/storage/ids.ts';
import type { Store, Row as StoredRow } from '../../store/storage/port.ts';

type Row = RowOf<typeof terminator>;

const FIELD = 'sealedIdentitySecret';

/** The fields of a new terminator that store its secret, if it has one. */
export const withSealedSecret = async (
  { secrets, platform }: Pick<Core, 'secrets' | 'platform'>,
  secret: unknown,
): Promise<Partial<Row>> => {
  if (typeof secret !== 'string' || secret === '') return {};
  const id = newId(platform.random);
  return { id, sealedIdentitySecret: await sealText(secrets, terminator, FIELD, { id }, secret) };
};

/**
 * The secret by which routers distinguish the instances of a service; undefined if none was given.
 * @throws SecretUnreadable
 */
export const identitySecretOf = async (secrets: Secrets, row: Pick<Row, 'id' | 'sealedIdentitySecret'>): Promise<string | undefined> =>
  row.sealedIdentitySecret ? unsealText(secrets, terminator, FIELD, row) : undefined;

/** Id of the marker row: it exists once no secret is stored in plain text. */
const SEALED = 'terminators-are-sealed';
const PAGE = 500;

/** Seals secrets that earlier versions stored in plain text. Runs once per store, before any call. */
export const sealIdentitySecrets = async (store: Store, keys: SecretKeys, context: EntitiesContext): Promise<void> => {
  if (await store.transaction('read', (tx) => entitiesOf(tx, context).get(keptSecret, SEALED))) return;
  for (let after: string | undefined = ''; after !== undefined; ) after = await sealPage(store, keys, after);
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    if (!(await entities.get(keptSecret, SEALED))) await entities.insert(keptSecret, { id: SEALED, sealed: null });
  });
};

/** @returns the id to continue after */
const sealPage = (store: Store, keys: SecretKeys, after: string): Promise<string | undefined> =>
  store.transaction('write', async (tx) => {
    const rows = await tx.list(terminator.kind, { where: idAfter(after), limit: PAGE });
    for (const { identitySecret, ...row } of rows) {
      if (identitySecret === undefined) continue;
      const sealedIdentitySecret = identitySecret === '' ? null : await sealText(keys, terminator, FIELD, row, String(identitySecret));
      // Not a change of the terminator: it keeps its version, and no change record is written.
      const sealed = { ...row, sealedIdentitySecret } as StoredRow; // a row without `identitySecret`
      await tx.update(terminator.kind, await sealedUnderSecretKey(() => secretKeyNameIn(tx), keys, terminator, sealed), row.version);
    }
    return rows.length < PAGE ? undefined : rows.at(-1)?.id;
  });
