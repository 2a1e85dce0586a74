/**
 * The tables of a kind. Documents have a separate table from the narrow rows (ns, id, columns, number of the document): a query that no
 * index answers scans a few dozen bytes per row instead of the documents, and only the documents of the page are fetched. Each set has a
 * table (ns, value, id) and a reverse index (ns, id, value).
 */
import type { ColumnSchema, KindSchema, Row } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import { identifier, qualified } from './render.ts';
import type { Sql, Value } from './sql.ts';

export interface Layout {
  readonly kind: string;
  readonly table: Sql;
  readonly documents: Sql;
  /** The columns that copy a field of the document, by field. */
  readonly columns: ReadonlyMap<string, Column>;
  /** The table of a set, by field. */
  readonly sets: ReadonlyMap<string, Sql>;
  /** The field of a column or of a unique index; an unknown name is returned unchanged, for use in error messages. */
  fieldOf(column: string): string;
}

export interface Column extends ColumnSchema {
  readonly sql: Sql;
}

/** Columns of every table of rows. */
const FIXED: readonly ColumnSchema[] = [
  { name: 'version', type: 'number', index: false },
  { name: 'createdAt', type: 'date', index: false },
  { name: 'updatedAt', type: 'date', index: false },
];

export const layoutOf = (engine: SqlEngine, prefix: string, schema: KindSchema): Layout => {
  const names = namesOf(prefix, schema.kind);
  const columns = [...FIXED, ...schema.columns].map((column): [string, Column] => [
    column.name,
    { ...column, sql: identifier(engine, columnName(column.name)) },
  ]);
  const fields = new Map([
    ...columns.flatMap(([field]) => [columnName(field), names.index(field)].map((key) => [key, field] as const)),
    ['id', 'id'] as const,
  ]);
  return {
    kind: schema.kind,
    table: qualified(engine, names.rows),
    documents: qualified(engine, names.documents),
    columns: new Map(columns),
    sets: new Map(schema.sets.map((set) => [set, qualified(engine, names.set(set))])),
    fieldOf: (column) => fields.get(column) ?? column,
  };
};

/** Names of tables and indexes. Two underscores separate the kind from the rest. */
export const namesOf = (prefix: string, kind: string) => {
  const rows = `${prefix}${snakeCase(kind)}`;
  return {
    rows,
    documents: `${rows}__document`,
    set: (field: string) => `${rows}__${snakeCase(field)}`,
    index: (field: string) => `${rows}__by_${snakeCase(field)}`,
    reverse: (field: string) => `${rows}__${snakeCase(field)}__by_id`,
  };
};

/**
 * Tables that all kinds share: numbers of each namespace (its revision, its number of rows of each kind), and the migrations that have run.
 */
export const sharedNames = (prefix: string) => ({ state: `${prefix}controller_state`, migrations: `${prefix}controller_migrations` });

export const REVISION = 'revision';
export const rowsOfKind = (kind: string): string => `rows of ${kind}`;

const RESERVED = new Set(['ns', 'id', 'document', 'version', 'created_at', 'updated_at']);

/** @throws TypeError if the field's column would clash with a column that every table has */
export const ownColumnName = (field: string): string => {
  const column = columnName(field);
  if (RESERVED.has(column)) throw new TypeError(`a field cannot be called '${field}': every table has such a column`);
  return column;
};

const columnName = (field: string): string => snakeCase(field);

const snakeCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The value of a column: the field's value if it has the column's type, otherwise null. */
export const columnValue = ({ name: field, type }: ColumnSchema, row: Row): Value => {
  const value = row[field];
  return isScalar(value) && typeof value === (type === 'date' ? 'string' : type) ? value : null;
};

/** The elements of a set field, without duplicates. */
export const elementsOf = (row: Row, set: string): ReadonlySet<string> => {
  const value = row[set];
  return new Set(Array.isArray(value) ? value.filter((element) => typeof element === 'string') : []);
};

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
