/** Entities of a group that a filter or their ids select. */
import { filter as filterText } from '../../client/index.ts';
import { type Entity, entityApi, type KindView } from './kinds.ts';
import { readFirst } from './list-page.ts';

export interface Matching {
  /** Undefined for all entities of the kind. */
  readonly filter: string | undefined;
  /** A field and a direction. */
  readonly sort: string;
}

const optionsOf = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

/** Reads the first `max` entities of a list. */
export const readMatching = async (
  { group }: KindView,
  { filter, sort }: Matching,
  max: number,
  report?: (count: number, total: number) => void,
  signal?: AbortSignal,
): Promise<readonly Entity[]> => {
  const query = { sort, ...(filter === undefined ? {} : { filter }) };
  return (await readFirst(max, (range) => entityApi(group).list({ ...range, ...query }, optionsOf(signal)), report)).data;
};

/** Number of ids in one request: they are part of its address. */
const CHUNK = 100;

/** Reads entities by their ids, without those that exist no more. */
export const readByIds = async (group: string, ids: readonly string[], signal?: AbortSignal): Promise<readonly Entity[]> => {
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) => ids.slice(index * CHUNK, (index + 1) * CHUNK));
  const pages = await Promise.all(
    chunks.map((chunk) => entityApi(group).list({ filter: filterText`id in ${chunk}`, limit: CHUNK }, optionsOf(signal))),
  );
  return pages.flatMap(({ data }) => data);
};

/** @param filter an empty one selects all entities of the group */
export const countOf = async (group: string, filter: string, signal: AbortSignal): Promise<number> =>
  (await entityApi(group).list({ limit: 1, ...(filter ? { filter } : {}) }, { signal })).pagination.totalCount;
