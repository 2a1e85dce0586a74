/** Sealed fields, as the field tables of kinds declare them: which they are, and what the seal of each is bound to. */

import { keptSecret } from '../api/kept-secrets.ts';
import type { Field } from '../api/kit/field.ts';
import type { Kind } from '../api/kit/resource.ts';
import { keyMissing, keyNameOf, type SecretKeys, type Secrets } from '../platform/secrets.ts';
import type { Row, Transaction } from '../storage/port.ts';

type Values = Readonly<Record<string, unknown>>;

/** Seals the text of a field. @param row as far as the seal is bound to it */
export const sealText = (secrets: Secrets, { fields }: Pick<Kind, 'fields'>, field: string, row: Values, text: string): Promise<string> =>
  secrets.seal(text, placeOf(fields[field], row));

/** @throws SecretUnreadable */
export const unsealText = (secrets: Secrets, { fields }: Pick<Kind, 'fields'>, field: string, row: Values): Promise<string> =>
  secrets.unseal(String(row[field] ?? ''), placeOf(fields[field], row));

const placeOf = (field: Field | undefined, row: Values): string => {
  if (!field?.sealedFor) throw new TypeError('the field is not declared as sealed');
  return field.sealedFor(row);
};

/** The names of the sealed fields of a kind. */
export const sealedFields = ({ fields }: Pick<Kind, 'fields'>): readonly string[] =>
  Object.entries(fields).flatMap(([name, { sealedFor }]) => (sealedFor ? [name] : []));

/** The key-check: a word that is sealed under the key of the network. Of the other keys of a controller it says that they only unseal. */
export const KEY_CHECK = 'key-check';

/** The name of the key of the network; undefined while the network is being made. */
export const networkKeyIn = async (tx: Transaction): Promise<string | undefined> =>
  keyNameOf(String((await tx.get(keptSecret.kind, KEY_CHECK))?.sealed ?? ''));

/** The names of the fields of a row that are sealed under another key than the one of that name. */
export const fieldsDue = (kind: Kind, row: Row, name: string): readonly string[] =>
  sealedFields(kind).filter((field) => (keyNameOf(String(row[field] ?? '')) ?? name) !== name);

/**
 * The row with what is sealed in it under a key.
 * @param keys seal under that key
 * @returns the same row if everything in it is already sealed under that key
 * @throws SecretUnreadable
 */
export const resealed = async (kind: Kind, row: Row, keys: Secrets, name: string): Promise<Row> => {
  const due = fieldsDue(kind, row, name);
  if (due.length === 0) return row;
  const anew = { ...row };
  for (const field of due) anew[field] = await sealText(keys, kind, field, row, await unsealText(keys, kind, field, row));
  return anew;
};

/**
 * A row that is about to be written, with everything sealed in it under the key of the network. Another controller may have replaced the key since the text
 * was sealed, outside of the transaction, or since the row was read, as rows are remembered by version and sealing anew keeps the version.
 * @param networkKey as `networkKeyIn`, in the transaction of the write
 * @param keys of the controller; undefined if it seals nothing
 * @throws SecretUnreadable if this controller was not given the key of the network
 */
export const underNetworkKey = async (
  networkKey: () => Promise<string | undefined>,
  keys: SecretKeys | undefined,
  kind: Kind,
  row: Row,
): Promise<Row> => {
  if (!keys || !sealedFields(kind).some((field) => typeof row[field] === 'string') || isKeyCheck(kind, row)) return row;
  const name = await networkKey();
  if (name === undefined) return row;
  if (!keys.names.includes(name)) throw keyMissing();
  keys.sealUnder(name);
  return resealed(kind, row, keys, name);
};

const isKeyCheck = (kind: Kind, { id }: Row): boolean => kind.kind === keptSecret.kind && id === KEY_CHECK;
