/** The types of columns in an engine. */
import type { ColumnSchema } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import type { JsonType } from './engine/queries.ts';
import type { ColumnTypes } from './engine/tables.ts';
import { raw, type Sql } from './sql.ts';

/** The type of a column's value in a document. */
export const JSON_TYPE: Readonly<Record<ColumnSchema['type'], JsonType>> = {
  string: 'text',
  date: 'text',
  number: 'number',
  boolean: 'boolean',
};

/** Indexed text has the type `key`, because some databases limit its length. */
export const typeOf = ({ types }: SqlEngine, { type, index }: ColumnSchema): Sql =>
  raw(types[type === 'string' && index !== false ? 'key' : type]);

export const typesOf = ({ types }: SqlEngine): Readonly<Record<keyof ColumnTypes, Sql>> => ({
  key: raw(types.key),
  string: raw(types.string),
  date: raw(types.date),
  number: raw(types.number),
  boolean: raw(types.boolean),
  integer: raw(types.integer),
  document: raw(types.document),
  documentKey: raw(types.documentKey),
  reference: raw(types.reference),
});
