/** A page of a list, whatever its address asks for. */
import { ApiError } from '../../client/index.ts';
import { chosenIn, conditionsOf } from './facets.ts';
import { type EntityApi, type EntityPage, entityApi, type KindView } from './kinds.ts';
import { lastOffset, offsetIn } from './list-page.ts';
import { readNames } from './names.ts';
import { type Search, searchOf, textFilterOf } from './search.ts';
import { texts } from './texts.ts';

const t = texts.search;
export const PAGE_SIZE = 25;

/** The query parameters in the address of a list. */
export interface ListQuery {
  readonly filter?: string;
  /** Values of facets, as `chosenIn` reads them. */
  readonly is?: string;
  readonly sort?: string;
  readonly offset?: string;
}

/** Fields that filters know by another name than answers. */
export const FILTER_NAMES: Readonly<Record<string, string>> = { isOnline: 'online', username: 'updbUsername' };

/** The answer to a list query: the page that exists, and how it differs from what was asked for. */
export interface EntityList {
  readonly page: EntityPage;
  readonly search: Search;
  /** The condition that the entities satisfy; undefined for all of the kind. */
  readonly filter: string | undefined;
  /** The order of the entities: a field and a direction. */
  readonly sort: Sort;
  /** The names of the entities to whose ids the list refers. */
  readonly names: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

export interface Sort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

interface Request {
  readonly list: EntityApi['list'];
  readonly search: Search;
  /** Conditions beside what is searched for. */
  readonly conditions: readonly string[];
  readonly sort: Sort;
  readonly offset: number;
  readonly notes: readonly string[];
}

/**
 * Reads a page of the entities of a kind. A condition, an order or an offset that does not exist is replaced, with a note.
 * @param list default: all entities of the kind
 */
export const readList = async (
  kind: KindView,
  { filter = '', is, sort = '', offset = '' }: ListQuery,
  signal: AbortSignal,
  list: EntityApi['list'] = entityApi(kind.group).list,
): Promise<EntityList> => {
  const chosen = sortOf(sort);
  return readPage(
    kind,
    {
      list,
      search: searchOf(filter),
      conditions: conditionsOf(chosenIn(is)),
      sort: chosen ?? defaultSort(kind),
      offset: offsetIn(offset),
      notes: sort !== '' && !chosen ? [t.unknownOrder(sort)] : [],
    },
    signal,
  );
};

const SORT = /^([A-Za-z][\w.-]*)(?: (asc|desc))?$/;

const sortOf = (text: string): Sort | undefined => {
  const [, field, direction] = SORT.exec(text) ?? [];
  return field === undefined ? undefined : { field, direction: direction === 'desc' ? 'desc' : 'asc' };
};

/** A sort as the API takes it. */
export const orderOf = ({ field, direction }: Sort): string => `${field} ${direction}`;

const defaultSort = ({ order = 'name' }: KindView): Sort => sortOf(order) ?? { field: 'id', direction: 'asc' };

const readPage = async (kind: KindView, request: Request, signal: AbortSignal): Promise<EntityList> => {
  const { list, search, conditions, sort, offset, notes } = request;
  const again = (changes: Partial<Request>, note?: string): Promise<EntityList> =>
    readPage(kind, { ...request, ...changes, notes: note === undefined ? notes : [...notes, note] }, signal);
  const found = search.is === 'text' ? await textFilterOf(kind, search.text, signal) : undefined;
  const entered = found?.filter ?? (search.is === 'condition' ? search.filter : undefined);
  const filter = conditions.length === 0 ? entered : [...(entered === undefined ? [] : [`(${entered})`]), ...conditions].join(' and ');
  const order = orderOf(sort);
  try {
    const input = { limit: PAGE_SIZE, offset, sort: order, ...(filter === undefined ? {} : { filter }) };
    const page = await list(input, { signal });
    const { totalCount } = page.pagination;
    if (page.data.length === 0 && offset > 0 && totalCount > 0)
      return await again({ offset: lastOffset(totalCount, PAGE_SIZE) }, t.beyondEnd(offset + 1, totalCount));
    return {
      page,
      search,
      filter,
      sort,
      names: await namesIn(kind, page, signal),
      notes: found?.isPartial ? [...notes, t.partial] : notes,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'INVALID_FILTER' && search.is === 'condition')
      return again({ search: { is: 'text', text: search.filter, reason: reasonOf(error) } });
    if (error.code === 'INVALID_FILTER' && conditions.length > 0) return again({ conditions: [] }, t.unknownFacet(conditions.join(', ')));
    if (error.code === 'INVALID_SORT_IDENTIFIER' && sort.field !== defaultSort(kind).field)
      return again({ sort: defaultSort(kind) }, t.unknownOrder(order));
    throw error;
  }
};

const reasonOf = ({ cause, message }: ApiError): string => String(Object(cause).message ?? message);

const namesIn = async ({ named = {} }: KindView, { data }: EntityPage, signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  const maps = await Promise.all(
    Object.entries(named).map(([field, group]) =>
      readNames(
        group,
        data.map((entity) => entity[field]).filter((id) => typeof id === 'string'),
        signal,
      ),
    ),
  );
  return new Map(maps.flatMap((map) => [...map]));
};
