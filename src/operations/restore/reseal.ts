/**
 * Replaces the secret key of a network (docs/decisions/040). First, one transaction makes the new key the secret key of the network. From
 * then on, every write seals under it (`sealedUnderSecretKey`). Then everything that is sealed under another key is resealed, page by page.
 * Until that is complete, the store keeps the names of the keys that may still be needed, and opens only with these. After an interruption,
 * another call resumes the work. Several controllers may run it concurrently.
 */

import type { KindName } from '../../contract/api/kind-names.ts';
import { keptSecret, kinds } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { idAfter } from '../../query/index.ts';
import { keyNameOf, type SecretKeys, SecretUnreadable } from '../../runtime/platform/secrets.ts';
import { tableOf } from '../../store/changelog/views.ts';
import { type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { sealKeptSecret, unsealKeptSecret } from '../../store/entities/kept-secrets.ts';
import { fieldsToReseal, KEY_CHECK, resealed, sealedFields, secretKeyNameIn } from '../../store/entities/sealed.ts';
import type { Store, Transaction } from '../../store/storage/port.ts';

/** The key that replaces the current one. */
export interface ResealOptions {
  /** Default: the first of the keys with which the controller was opened. */
  readonly secretKey?: string;
}

/** The result of a reseal. */
export interface Resealed {
  /** Entities whose secrets were resealed, by kind; kinds without any are left out. */
  readonly entities: Readonly<Partial<Record<KindName, number>>>;
}

/** The id under which the names of keys that may still be needed are stored. */
export const FORMER = 'former-keys';
/** Maximum number of rows in memory, and per transaction. */
const PAGE = 100;

/** The kinds with sealed fields, according to their field tables. */
const sealedKinds: readonly Kind[] = Object.values<Kind>(kinds).filter((kind) => !kind.view && sealedFields(kind).length > 0);

/**
 * @param signal stops it between two pages
 * @throws TypeError if a secret was sealed under a key that this controller lacks, or cannot be read: the others have been resealed, and
 * the former keys are still needed; or if another controller has replaced the key with a third one
 */
export const reseal = async (
  store: Store,
  keys: SecretKeys,
  context: EntitiesContext,
  signal: AbortSignal,
  { secretKey }: ResealOptions,
): Promise<Resealed> => {
  const name = secretKey === undefined ? keys.names[0] : await keys.add(secretKey);
  if (name === undefined) throw new TypeError('reseal needs a secretKey to seal under');
  await replaceKey(store, keys, context, name);
  const entities: Record<string, number> = {};
  const unreadable: string[] = [];
  for (const kind of sealedKinds) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      signal.throwIfAborted();
      const page = await resealPage(store, keys, kind, name, after);
      if (page.count > 0) entities[kind.kind] = (entities[kind.kind] ?? 0) + page.count;
      unreadable.push(...page.unreadable);
      after = page.next;
    }
  }
  if (unreadable.length > 0)
    throw new TypeError(
      `${unreadable.length} of the secrets cannot be unsealed with the keys given, and were left as they are: ${unreadable.slice(0, 5).join(', ')}; open the controller with the key that they were sealed under, too, and call reseal() again, or delete these entities`,
    );
  await store.transaction('write', async (tx) => {
    if ((await secretKeyNameIn(tx)) !== name)
      throw new TypeError('another controller has replaced the secret key with a third one during this reseal');
    const entities = entitiesOf(tx, context);
    const former = await entities.get(keptSecret, FORMER);
    if (former) await entities.remove(keptSecret, former);
  });
  return { entities };
};

/** The names of the keys, other than the secret key of the network, under which something in the store may still be sealed. */
export const formerKeys = (store: Store, keys: SecretKeys): Promise<readonly string[]> =>
  store.transaction('read', async (tx) => {
    return namesIn(keys, (await tx.get(keptSecret.kind, FORMER))?.sealed);
  });

/** Makes a key the secret key of the network; this controller's other keys may be needed until resealing is complete. */
const replaceKey = (store: Store, keys: SecretKeys, context: EntitiesContext, name: string): Promise<void> =>
  store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    keys.sealUnder(name);
    const check = await entities.require(keptSecret, KEY_CHECK);
    if (keyNameOf(check.sealed ?? '') !== name)
      await entities.update(keptSecret, check, { sealed: await sealKeptSecret(keys, KEY_CHECK, KEY_CHECK) });
    const others = keys.names.filter((other) => other !== name);
    const known = await entities.get(keptSecret, FORMER);
    const before = await namesIn(keys, known?.sealed);
    const sealed = await sealKeptSecret(
      keys,
      FORMER,
      JSON.stringify([...new Set([...before, ...others])].filter((other) => other !== name)),
    );
    if (known) await entities.update(keptSecret, known, { sealed });
    else await entities.insert(keptSecret, { id: FORMER, sealed });
  });

/** Unseals the names of keys that `replaceKey` stored. */
const namesIn = async (keys: SecretKeys, sealed: unknown): Promise<readonly string[]> =>
  typeof sealed === 'string' ? JSON.parse(await unsealKeptSecret(keys, FORMER, sealed)) : [];

interface ResealedPage {
  readonly count: number;
  /** Kind and id of each entity that could not be unsealed. */
  readonly unreadable: readonly string[];
  /** The id after which to continue; undefined at the end. */
  readonly next: string | undefined;
}

/** Writes only rows with something to reseal, without change records, because their content does not change. */
const resealPage = async (store: Store, keys: SecretKeys, kind: Kind, name: string, after: string): Promise<ResealedPage> => {
  const rows = await store.transaction('read', (tx) => tx.list(tableOf(kind), { where: idAfter(after), limit: PAGE }));
  const due = rows.filter((row) => fieldsToReseal(kind, row, name).length > 0).map(({ id }) => id);
  const next = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  if (due.length === 0) return { count: 0, unreadable: [], next };
  return store.transaction('write', async (tx) => {
    const unreadable: string[] = [];
    for (const id of due) if (!(await resealRow(tx, keys, kind, name, id))) unreadable.push(`${kind.kind} ${id}`);
    return { count: due.length - unreadable.length, unreadable, next };
  });
};

/** @returns false if the row cannot be unsealed; true also if it was deleted or resealed in between */
const resealRow = async (tx: Transaction, keys: SecretKeys, kind: Kind, name: string, id: string): Promise<boolean> => {
  const row = await tx.get(tableOf(kind), id);
  if (!row) return true;
  try {
    const next = await resealed(kind, row, keys, name);
    if (next !== row) await tx.update(tableOf(kind), next, row.version);
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
};
