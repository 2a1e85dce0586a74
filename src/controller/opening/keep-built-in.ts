import { rowFields } from '../../call/resources/merge.ts';
import { rowsById } from '../../call/resources/references.ts';
import { builtInRow } from '../../contract/api/built-in-rows.ts';
import { type KindName, kinds } from '../../contract/api/index.ts';
import type { AnyRow, Kind, RowOf } from '../../contract/api/kit/index.ts';
import { type BuiltIn, builtIn, OFFERED_UNRECORDED } from '../../operations/restore/built-in.ts';
import { equals, stringField } from '../../query/index.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import type { Store } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';

/**
 * Inserts the built-in rows of this release that the network lacks, and updates those that have changed in this release, according to their
 * policies. If nothing has to be written, it only reads. Controllers that open a network at the same time see each other's rows. If a newer
 * release uses the store, that release owns these rows, and this one inserts them only in a new network.
 */
export const keepBuiltIn = async (store: Store, context: EntitiesContext, rows: readonly BuiltIn[] = builtIn): Promise<void> => {
  const { isAhead = false } = (await store.check?.()) ?? {};
  if (isAhead && !(await store.transaction('read', (tx) => isNew(entitiesOf(tx, context), rows)))) return;
  const due = await store.transaction('read', (tx) => dueWrites(entitiesOf(tx, context), rows));
  if (due.length === 0) return;
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context);
    for (const write of await dueWrites(entities, rows)) await write(entities);
  });
};

const isNew = async (entities: Entities, rows: readonly BuiltIn[]): Promise<boolean> => (await readStored(entities, rows)).isNew;

type Write = (entities: Entities) => Promise<unknown>;
type Fields = Readonly<Record<string, unknown>>;

const dueWrites = async (entities: Entities, rows: readonly BuiltIn[]): Promise<readonly Write[]> => {
  const stored = await readStored(entities, rows);
  const due: Write[] = [];
  for (const row of rows) due.push(...(row.policy === 'offered' ? await dueForOffered(entities, row, stored) : dueForKept(row, stored)));
  return due;
};

/** The built-in rows in the store. */
interface StoredRows {
  row(definition: BuiltIn): AnyRow | undefined;
  /** The record of an offered row. */
  record(definition: BuiltIn): RowOf<typeof builtInRow> | undefined;
  /** True for a new network, which has no built-in rows. */
  readonly isNew: boolean;
}

/** Reads the built-in rows, with one query for each kind. */
const readStored = async (entities: Entities, rows: readonly BuiltIn[]): Promise<StoredRows> => {
  const ids = (definitions: readonly BuiltIn[]): readonly string[] => definitions.map(({ id }) => id);
  const byKind = new Map<KindName, ReadonlyMap<string, AnyRow>>();
  for (const [name, definitions] of Map.groupBy(rows, ({ kind }) => kind))
    byKind.set(name, await rowsById(entities, kindOf(name), ids(definitions)));
  const records = await rowsById(entities, builtInRow, rows.filter(({ policy }) => policy === 'offered').map(keyOf));
  return {
    row: ({ kind, id }) => byKind.get(kind)?.get(id),
    record: (definition) => records.get(keyOf(definition)),
    isNew: [...byKind.values()].every((rows) => rows.size === 0),
  };
};

const kindOf = (name: KindName): Kind => kinds[name];

/** The id of the record of a row. */
const keyOf = ({ kind, id }: BuiltIn): string => `${kind}/${id}`;

const dueForKept = (definition: BuiltIn, stored: StoredRows): readonly Write[] => {
  const kind = kindOf(definition.kind);
  const row = stored.row(definition);
  if (!row) return [insertion(kind, definition)];
  return definition.policy === 'fixed' && !hasFields(row, definition.fields) ? [update(kind, row, definition.fields)] : [];
};

const dueForOffered = async (entities: Entities, definition: BuiltIn, stored: StoredRows): Promise<readonly Write[]> => {
  const { fields } = definition;
  const kind = kindOf(definition.kind);
  const key = keyOf(definition);
  const record = stored.record(definition);
  if (record && isSameJson(record.fields, fields)) return [];
  const recordWrite: Write = (entities) =>
    record ? entities.update(builtInRow, record, { fields }) : entities.insert(builtInRow, { id: key, fields });
  const row = stored.row(definition);
  if (row)
    return isUnchanged(row, record?.fields ?? undefined) && !hasFields(row, fields)
      ? [update(kind, row, fields), recordWrite]
      : [recordWrite];
  const wasDeleted = record !== undefined || (!stored.isNew && OFFERED_UNRECORDED.has(key));
  return wasDeleted || (await isTaken(entities, kind, fields)) ? [recordWrite] : [insertion(kind, definition), recordWrite];
};

/** True if a row is unchanged since a release added it; without a record, if it has not been updated. */
const isUnchanged = (row: AnyRow, given: Fields | undefined): boolean => (given ? hasFields(row, given) : row.updatedAt === row.createdAt);

/** True if an administrator has created an entity with that name: it stays, and the built-in row is not offered again. */
const isTaken = async (entities: Entities, kind: Kind, { name }: Fields): Promise<boolean> =>
  (await entities.find(kind, equals(stringField('name'), String(name)))) !== undefined;

const hasFields = (row: AnyRow, fields: Fields): boolean => isSameJson({ ...row, ...fields }, row);

const insertion =
  (kind: Kind, { id, fields }: BuiltIn): Write =>
  (entities) =>
    entities.insert(kind, { ...rowFields(kind, {}), ...fields, id });

const update =
  (kind: Kind, row: AnyRow, fields: Fields): Write =>
  (entities) =>
    entities.update(kind, row, fields);
