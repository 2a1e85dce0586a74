import { kinds } from '../../src/contract/api/kinds.ts';
import { ApiError } from '../../src/contract/errors/index.ts';
import { keepBuiltIn } from '../../src/controller/opening/keep-built-in.ts';
import { checkSecretKey } from '../../src/controller/opening/secret-key.ts';
import { insertAuthority, type PreparedAuthority } from '../../src/operations/authority/adopted-authority.ts';
import { builtIn } from '../../src/operations/restore/built-in.ts';
import { ALL } from '../../src/query/index.ts';
import type { SecretKeys } from '../../src/runtime/platform/secrets.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../../src/store/entities/entities.ts';
import { ValueTooLong } from '../../src/store/storage/errors.ts';
import type { StorageSchema, Store, Transaction } from '../../src/store/storage/port.ts';
import { type Conversion, convert, type DatedEntity } from './convert.ts';
import type { FormerNetwork } from './former.ts';
import { AdoptionRefused } from './refused.ts';

/** The kind of the first row in a store; undefined if it is empty. */
export const firstKindIn = async (tx: Transaction, schema: StorageSchema): Promise<string | undefined> => {
  for (const { kind } of schema) if ((await tx.list(kind, { where: ALL, limit: 1 })).length > 0) return kind;
  return undefined;
};

/**
 * Inserts everything into an empty store, within one transaction.
 * @throws AdoptionRefused with the entity that the store does not take
 */
export const insertNetwork = async (
  tx: Transaction,
  former: FormerNetwork,
  conversion: Conversion,
  { keys, prepared, ...common }: EntitiesContext & { readonly keys: SecretKeys; readonly prepared: PreparedAuthority },
): Promise<number> => {
  const context = { ...common, keys, forgetsWrites: true };
  const within = storeWithin(tx);
  await checkSecretKey(within, keys, context);
  // The former network has a default policy of its own, and may have config types of its own by the names of ours.
  const names = new Set([...former.entities('configTypes')].map(({ name }) => name));
  const isAdopted = ({ kind, id, fields }: (typeof builtIn)[number]) =>
    kind === kinds.authPolicy.kind ||
    (kind === kinds.configType.kind && 'name' in fields && names.has(String(fields.name)) && !isFormer(former, id));
  await keepBuiltIn(
    within,
    context,
    builtIn.filter((row) => !isAdopted(row)),
  );
  const entities = entitiesOf(tx, context);
  for await (const rows of convert(former, conversion)) for (const row of rows) await insert(entities, row);
  await insertAuthority(entities, prepared);
  return tx.revision();
};

const isFormer = (former: FormerNetwork, id: string): boolean => {
  for (const configType of former.entities('configTypes')) if (configType.id === id) return true;
  return false;
};

/** Characters of an id or a name in an error. */
const MAX_SHOWN = 1000;

const insert = async (entities: Entities, { kind, row, dates }: DatedEntity): Promise<void> => {
  try {
    await entities.adopt(kind, row, dates);
  } catch (error) {
    const reason =
      error instanceof ApiError ? error.message : error instanceof ValueTooLong ? 'a text is too long for the database' : undefined;
    if (reason === undefined) throw error;
    const name = String('name' in row ? row.name : '').slice(0, MAX_SHOWN);
    throw new AdoptionRefused([`the ${kind.kind} ${String(row.id).slice(0, MAX_SHOWN)} (${name}) cannot be stored: ${reason}`]);
  }
};

/** A store whose transactions are parts of one. */
const storeWithin = (tx: Transaction): Store => ({
  transaction: (_mode, work) => work(tx),
  join: () => tx,
  close: async () => undefined,
});
