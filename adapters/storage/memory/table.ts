/** The rows of one kind with their indexes, as one immutable value: a write returns a new table that shares all unchanged parts. */

import { type KindSchema, type Row, RowMissing, UniqueViolation, WriteConflict } from '../../../src/adapter-kit.ts';
import { frozenRow } from './document.ts';
import type { Key } from './order.ts';
import { emptyTree, get, remove, set, type Tree, walk } from './tree.ts';

/** A posting list: the ids of the rows that contain a value. */
export type Posting = Tree<true>;

export interface Table {
  readonly schema: KindSchema;
  readonly rows: Tree<Row>;
  /** For each indexed field, a map from value to posting list. Columns also index null; sets index each element. */
  readonly indexes: ReadonlyMap<string, Tree<Posting>>;
}

export const emptyTable = (schema: KindSchema): Table => {
  const columns = schema.columns.filter((column) => column.index !== false).map((column) => column.name);
  return {
    schema,
    rows: emptyTree(),
    indexes: new Map([...columns, ...schema.sets].map((field) => [field, emptyTree()])),
  };
};

/** Rebuilds the indexes of a table for another schema. */
export const reindex = (table: Table, schema: KindSchema): Table => {
  let result = emptyTable(schema);
  walk(table.rows, (row) => {
    result = insertRow(result, row);
    return true;
  });
  return result;
};

/** @throws UniqueViolation if the id or a unique field is taken */
export const insertRow = (table: Table, row: Row): Table => {
  if (get(table.rows, row.id)) throw new UniqueViolation(table.schema.kind, 'id');
  return replaceRow(table, undefined, frozenRow(row));
};

/** @throws RowMissing, WriteConflict, UniqueViolation as the port specifies */
export const updateRow = (table: Table, row: Row, expected: number): Table => {
  const before = get(table.rows, row.id);
  if (!before) throw new RowMissing(table.schema.kind, row.id);
  if (before.version !== expected) throw new WriteConflict();
  return replaceRow(table, before, frozenRow(row, before));
};

export const deleteRow = (table: Table, id: string): Table => {
  const before = get(table.rows, id);
  return before ? replaceRow(table, before, undefined) : table;
};

const replaceRow = (table: Table, before: Row | undefined, after: Row | undefined): Table => {
  if (after) assertUnique(table, before, after);
  const { schema } = table;
  let indexes: Map<string, Tree<Posting>> | undefined;
  for (const [field, index] of table.indexes) {
    // An unchanged value (or the same array) needs no update; otherwise `moveEntries` compares the elements of a set.
    if (before && after && before[field] === after[field]) continue;
    const keysOf = keyReader(field, schema.sets.includes(field));
    const moved = moveEntries(index, before, after, keysOf);
    if (moved === index) continue;
    indexes ??= new Map(table.indexes);
    indexes.set(field, moved);
  }
  const rows = after ? set(table.rows, after.id, after) : remove(table.rows, before?.id ?? null);
  return { schema, rows, indexes: indexes ?? table.indexes };
};

const assertUnique = ({ schema, indexes }: Table, before: Row | undefined, row: Row): void => {
  for (const { name, index } of schema.columns) {
    if (index !== 'unique' || before?.[name] === row[name]) continue;
    const value = keyOf(row[name]);
    if (value === null) continue;
    const valueIndex = indexes.get(name);
    const posting = valueIndex && get(valueIndex, value);
    if (posting && posting.size > (get(posting, row.id) === undefined ? 0 : 1)) throw new UniqueViolation(schema.kind, name);
  }
};

/** Removes the row from the posting lists of its former values, and adds it to those of its new values. */
const moveEntries = (index: Tree<Posting>, before: Row | undefined, after: Row | undefined, keysOf: KeyReader): Tree<Posting> => {
  const old = new Set(before ? keysOf(before) : []);
  const now = new Set(after ? keysOf(after) : []);
  let result = index;
  for (const key of old) {
    const posting = now.has(key) ? undefined : get(result, key);
    if (!posting || !before) continue;
    const rest = remove(posting, before.id);
    result = rest.size === 0 ? remove(result, key) : set(result, key, rest);
  }
  for (const key of now) {
    if (after && !old.has(key)) result = set(result, key, set(get(result, key) ?? emptyTree<true>(), after.id, true));
  }
  return result;
};

/** Returns the keys under which a row is indexed by one field. */
type KeyReader = (row: Row) => readonly Key[];

const keyReader = (field: string, isSet: boolean): KeyReader => {
  if (!isSet) return (row) => [keyOf(row[field])];
  return ({ [field]: value }) => (Array.isArray(value) ? value.filter((element) => typeof element === 'string') : []);
};

const keyOf = (value: unknown): Key =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
