import { kinds } from '../../contract/api/index.ts';
import { fieldType } from '../../contract/api/kit/field.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { ColumnSchema, KindSchema, StorageSchema } from './port.ts';

/** The storage of a kind: each field that is unique, filtered by or a reference gets a column, and each set gets an index by element. */
const schemaOf = ({ kind, view, fields }: Kind): KindSchema => {
  const storedFields = Object.entries(fields).filter(([, field]) => field.keep === 'stored' || field.keep === 'hidden');
  return {
    kind: view?.of ?? kind,
    columns: storedFields.flatMap(([name, field]) => {
      if (field.set || !(field.unique || field.filter || field.filterIn17 || field.index)) return [];
      const type = fieldType(field.schema);
      return [{ name, type: type === 'tag' ? 'string' : type, index: field.unique ? ('unique' as const) : Boolean(field.index) }];
    }),
    sets: storedFields.filter(([, field]) => field.set).map(([name]) => name),
  };
};

/** The table for kinds that share one, with the columns and sets of all of them. */
const mergeSchemas = (table: string, schemas: readonly KindSchema[]): KindSchema => {
  const columns = new Map<string, ColumnSchema>();
  for (const column of schemas.flatMap((schema) => schema.columns)) {
    const known = columns.get(column.name);
    if (known && (known.type !== column.type || known.index !== column.index))
      throw new TypeError(`the kinds in table ${table} do not agree on how ${column.name} is stored`);
    columns.set(column.name, column);
  }
  return { kind: table, columns: [...columns.values()], sets: [...new Set(schemas.flatMap((schema) => schema.sets))] };
};

/** The tables that every store must have, derived from the declarations of kinds. */
export const storageSchema: StorageSchema = [...Map.groupBy(Object.values(kinds).map(schemaOf), ({ kind }) => kind)].map(
  ([table, schemas]) => mergeSchemas(table, schemas),
);
