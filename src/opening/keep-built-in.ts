import { authPolicy } from '../api/auth-policies.ts';
import { builtInRow } from '../api/built-in-rows.ts';
import { kinds } from '../api/index.ts';
import type { AnyRow, Kind } from '../api/kit/resource.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../changes/entities.ts';
import { equals, stringField } from '../query/index.ts';
import { rowFields } from '../resources/merge.ts';
import type { Store } from '../storage/port.ts';
import { isSameJson } from '../storage/same-json.ts';
import { type BuiltIn, builtIn, OFFERED_UNRECORDED } from './built-in.ts';

/**
 * Inserts the built-in rows of this release that the network lacks, and updates those that follow the releases. If nothing is missing, it only reads.
 * Controllers that open a network at the same time see each other's rows.
 */
export const keepBuiltIn = async (store: Store, context: EntitiesContext, rows: readonly BuiltIn[] = builtIn): Promise<void> => {
  const due = await store.transaction('read', (tx) => dueWrites(entitiesOf(tx, context), rows));
  if (due.length === 0) return;
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    for (const write of await dueWrites(entities, rows)) await write(entities);
  });
};

type Write = (entities: Entities) => Promise<unknown>;
type Fields = Readonly<Record<string, unknown>>;

const dueWrites = async (entities: Entities, rows: readonly BuiltIn[]): Promise<readonly Write[]> => {
  const isNew = !(await entities.get(authPolicy, 'default'));
  const due: Write[] = [];
  for (const row of rows) due.push(...(row.policy === 'offered' ? await offered(entities, row, isNew) : await kept(entities, row)));
  return due;
};

const kept = async (entities: Entities, { kind: name, id, policy, fields }: BuiltIn): Promise<readonly Write[]> => {
  const kind: Kind = kinds[name];
  const row = await entities.get(kind, id);
  if (!row) return [insertion(kind, id, fields)];
  return policy === 'fixed' && !has(row, fields) ? [update(kind, row, fields)] : [];
};

const offered = async (entities: Entities, { kind: name, id, fields }: BuiltIn, isNew: boolean): Promise<readonly Write[]> => {
  const kind: Kind = kinds[name];
  const key = `${name}/${id}`;
  const record = await entities.get(builtInRow, key);
  if (record && isSameJson(record.fields, fields)) return [];
  const note: Write = (entities) =>
    record ? entities.update(builtInRow, record, { fields }) : entities.insert(builtInRow, { id: key, fields });
  const row = await entities.get(kind, id);
  if (row) return follows(row, record?.fields ?? undefined) && !has(row, fields) ? [update(kind, row, fields), note] : [note];
  const wasDeleted = record !== undefined || (!isNew && OFFERED_UNRECORDED.has(key));
  return wasDeleted || (await isTaken(entities, kind, fields)) ? [note] : [insertion(kind, id, fields), note];
};

/** Whether a row is as a release gave it. Without a record: whether it was never updated. */
const follows = (row: AnyRow, given: Fields | undefined): boolean => (given ? has(row, given) : row.updatedAt === row.createdAt);

/** Whether an administrator has an entity of that name already: it stays, and the built-in one is not offered again. */
const isTaken = async (entities: Entities, kind: Kind, { name }: Fields): Promise<boolean> =>
  (await entities.find(kind, equals(stringField('name'), String(name)))) !== undefined;

const has = (row: AnyRow, fields: Fields): boolean => isSameJson({ ...row, ...fields }, row);

const insertion =
  (kind: Kind, id: string, fields: Fields): Write =>
  (entities) =>
    entities.insert(kind, { ...rowFields(kind, {}), ...fields, id });

const update =
  (kind: Kind, row: AnyRow, fields: Fields): Write =>
  (entities) =>
    entities.update(kind, row, fields);
