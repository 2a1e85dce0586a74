import { kinds } from '../api/index.ts';
import { fieldType } from '../api/kit/field.ts';
import type { Resource } from '../api/kit/resource.ts';
import type { KindSchema, StorageSchema } from './port.ts';

/** How a kind is stored: every field that is filtered by, unique or pointing at something gets a column, every set an index by value. */
const schemaOf = ({ kind, fields }: Resource): KindSchema => {
  const kept = Object.entries(fields).filter(([, field]) => field.keep === 'stored' || field.keep === 'hidden');
  return {
    kind,
    columns: kept.flatMap(([name, field]) => {
      if (field.set || !(field.unique || field.filter || field.index)) return [];
      const type = fieldType(field.schema);
      return [{ name, type: type === 'tag' ? 'string' : type, index: field.unique ? ('unique' as const) : Boolean(field.index) }];
    }),
    sets: kept.filter(([, field]) => field.set).map(([name]) => name),
  };
};

/** What every store has to hold, by kind: derived from the resource tables. */
export const storageSchema: StorageSchema = Object.values(kinds).map(schemaOf);
