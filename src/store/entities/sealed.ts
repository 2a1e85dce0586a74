/**
 * Seals, unseals and reseals the fields that kinds declare as sealed. The declaration also defines the context to which each seal is bound.
 */

import { keptSecret } from '../../contract/api/kept-secrets.ts';
import type { Field } from '../../contract/api/kit/field.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { keyMissing, keyNameOf, type SecretKeys, type Secrets } from '../../runtime/platform/secrets.ts';
import type { Row, Transaction } from '../storage/port.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Seals the text of a field.
 * @param row must contain the fields to which the seal is bound
 */
export const sealText = (secrets: Secrets, { fields }: Pick<Kind, 'fields'>, field: string, row: Values, text: string): Promise<string> =>
  secrets.seal(text, contextOf(fields[field], row));

/** @throws SecretUnreadable */
export const unsealText = (secrets: Secrets, { fields }: Pick<Kind, 'fields'>, field: string, row: Values): Promise<string> =>
  secrets.unseal(String(row[field] ?? ''), contextOf(fields[field], row));

const contextOf = (field: Field | undefined, row: Values): string => {
  if (!field?.sealedFor) throw new TypeError('the field is not declared as sealed');
  return field.sealedFor(row);
};

/** The names of the sealed fields of a kind. */
export const sealedFields = (kind: Pick<Kind, 'fields'>): readonly string[] => {
  let fields = memoizedFields.get(kind);
  if (!fields) {
    fields = Object.entries(kind.fields).flatMap(([name, { sealedFor }]) => (sealedFor ? [name] : []));
    memoizedFields.set(kind, fields);
  }
  return fields;
};
const memoizedFields = new WeakMap<object, readonly string[]>();

/**
 * The name of the key check, a value sealed under the secret key of the network. It identifies that key; the other keys of a controller
 * only unseal.
 */
export const KEY_CHECK = 'key-check';

/** Reads the name of the secret key of the network; undefined while the network is being created. */
export const secretKeyNameIn = async (tx: Transaction): Promise<string | undefined> =>
  keyNameOf(String((await tx.get(keptSecret.kind, KEY_CHECK))?.sealed ?? ''));

/** The fields of a row that are sealed under a key other than `name`. */
export const fieldsToReseal = (kind: Kind, row: Row, name: string): readonly string[] =>
  sealedFields(kind).filter((field) => (keyNameOf(String(row[field] ?? '')) ?? name) !== name);

/**
 * Reseals the fields of a row that are sealed under a key other than `name`.
 * @param keys must seal under the key `name`
 * @returns the same row if no field needs resealing
 * @throws SecretUnreadable
 */
export const resealed = async (kind: Kind, row: Row, keys: Secrets, name: string): Promise<Row> => {
  const fields = fieldsToReseal(kind, row, name);
  if (fields.length === 0) return row;
  const result = { ...row };
  for (const field of fields) result[field] = await sealText(keys, kind, field, row, await unsealText(keys, kind, field, row));
  return result;
};

/**
 * Prepares a row to be written: reseals its sealed fields under the secret key of the network if necessary. Another controller may have
 * replaced that key since the text was sealed (before the transaction), or since the row was read (from the cache, because resealing does
 * not change the version).
 * @param secretKeyName returns `secretKeyNameIn` for the transaction of the write
 * @param keys the keys of the controller; undefined if it seals nothing
 * @throws SecretUnreadable if this controller was not given the secret key of the network
 */
export const sealedUnderSecretKey = async (
  secretKeyName: () => Promise<string | undefined>,
  keys: SecretKeys | undefined,
  kind: Kind,
  row: Row,
): Promise<Row> => {
  if (!keys || !sealedFields(kind).some((field) => typeof row[field] === 'string') || isKeyCheck(kind, row)) return row;
  const name = await secretKeyName();
  if (name === undefined) return row;
  if (!keys.names.includes(name)) throw keyMissing();
  keys.sealUnder(name);
  return resealed(kind, row, keys, name);
};

const isKeyCheck = (kind: Kind, { id }: Row): boolean => kind.kind === keptSecret.kind && id === KEY_CHECK;
