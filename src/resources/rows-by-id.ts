import type { Kind, RowOf } from '../api/kit/resource.ts';
import type { Entities } from '../entities/entities.ts';
import { oneOf, stringField } from '../query/index.ts';

/** Loads the rows of some ids, each once, in one query. */
export const rowsById = async <R extends Kind>(
  entities: Entities,
  kind: R,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RowOf<R>>> => {
  const rows = await entities.list(kind, { where: oneOf(stringField('id'), [...new Set(ids)]) });
  return new Map(rows.map((row) => [(row as { readonly id: string }).id, row])); // every row has an id
};
