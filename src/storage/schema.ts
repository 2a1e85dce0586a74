import { kinds } from '../api/index.ts';
import { fieldType } from '../api/kit/field.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { ColumnSchema, KindSchema, StorageSchema } from './port.ts';

/** How a kind is stored: every field that is filtered by, unique or pointing at something gets a column, every set an index by value. */
const schemaOf = ({ kind, view, fields }: Kind): KindSchema => {
  const kept = Object.entries(fields).filter(([, field]) => field.keep === 'stored' || field.keep === 'hidden');
  return {
    kind: view?.of ?? kind,
    columns: kept.flatMap(([name, field]) => {
      if (field.set || !(field.unique || field.filter || field.index)) return [];
      const type = fieldType(field.schema);
      return [{ name, type: type === 'tag' ? 'string' : type, index: field.unique ? ('unique' as const) : Boolean(field.index) }];
    }),
    sets: kept.filter(([, field]) => field.set).map(([name]) => name),
  };
};

/** One table for the kinds that share it: with the columns and sets of all of them. */
const merged = (table: string, schemas: readonly KindSchema[]): KindSchema => {
  const columns = new Map<string, ColumnSchema>();
  for (const column of schemas.flatMap((schema) => schema.columns)) {
    const known = columns.get(column.name);
    if (known && (known.type !== column.type || known.index !== column.index))
      throw new TypeError(`the kinds in table ${table} do not agree on how ${column.name} is stored`);
    columns.set(column.name, column);
  }
  return { kind: table, columns: [...columns.values()], sets: [...new Set(schemas.flatMap((schema) => schema.sets))] };
};

/** The tables that every store has to hold, derived from the declarations of kinds. */
export const storageSchema: StorageSchema = [...Map.groupBy(Object.values(kinds).map(schemaOf), ({ kind }) => kind)].map(
  ([table, schemas]) => merged(table, schemas),
);
