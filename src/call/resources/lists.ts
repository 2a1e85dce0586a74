import { LRUCache } from 'lru-cache';
import type { ListQuery } from '../../contract/api/kit/list-query.ts';
import type { Page } from '../../contract/api/kit/operation.ts';
import { hasSign, readSelectors } from '../../contract/api/kit/roles.ts';
import { ApiError, invalidField, shownValue } from '../../contract/errors/index.ts';
import {
  and,
  type BoundFilter,
  FilterError,
  NONE,
  oneOf,
  or,
  type Predicate,
  readFilter,
  readSort,
  SortError,
  type SortKey,
  type Symbols,
  stringField,
} from '../../query/index.ts';

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 500;
const MAX_OFFSET = 100_000;

/** The query of a list, ready for the store. `limit` is `Infinity` if there is none. */
export interface ListPlan {
  readonly where: Predicate;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly offset: number;
}

export interface ListInput extends ListQuery {
  readonly roleFilter?: readonly string[] | undefined;
  readonly roleSemantic?: string | undefined;
}

/**
 * Converts the parameters of a list to a query. `sort by`, `skip` and `limit` in the filter override the parameters. Limit and offset are
 * clamped, not refused, and echoed in `pagination`.
 * @throws ApiError `INVALID_FILTER`, `INVALID_SORT_IDENTIFIER`, or `COULD_NOT_VALIDATE` for role filters
 */
export const planList = (symbols: Symbols, input: ListInput, { defaultLimit = DEFAULT_PAGE_SIZE } = {}): ListPlan => {
  const filter = readFilterParameter(symbols, input.filter);
  const sort = filter.sort ?? readSortParameter(symbols, input.sort);
  const limit = filter.limit === 'none' ? -1 : (filter.limit ?? input.limit);
  const offset = filter.skip ?? input.offset ?? 0;
  return {
    where: and(filter.where, rolePredicate(input.roleFilter ?? [], input.roleSemantic)),
    sort,
    limit: pageSize(limit, defaultLimit),
    offset: Math.min(Math.max(offset, 0), MAX_OFFSET),
  };
};

/** The size of a page: unlimited for a limit of -1, the default for a missing or invalid limit. */
export const pageSize = (limit: number | undefined, defaultLimit = DEFAULT_PAGE_SIZE): number => {
  if (limit === -1) return Infinity;
  return limit === undefined || limit <= 0 ? defaultLimit : Math.min(limit, MAX_PAGE_SIZE);
};

/** The page that a list answers. */
export const pageOf = <T>(data: readonly T[], plan: ListPlan, totalCount: number, symbols: Symbols): Page<T> => ({
  data,
  pagination: { limit: plan.limit, offset: plan.offset, totalCount },
  filterableFields: symbols.names,
});

const NO_FILTER: BoundFilter = { where: { op: 'all' }, sort: undefined, skip: undefined, limit: undefined };

/** Consoles and SDKs keep sending the same few filters, so parsed filters are cached. */
const filters = new WeakMap<Symbols, LRUCache<string, BoundFilter>>();

const readFilterParameter = (symbols: Symbols, filter: string | undefined): BoundFilter => {
  if (filter === undefined || filter === '') return NO_FILTER;
  let cache = filters.get(symbols);
  if (!cache) filters.set(symbols, (cache = new LRUCache({ max: 200, maxSize: 1_000_000, sizeCalculation: (_, key) => key.length + 1 })));
  const cached = cache.get(filter);
  if (cached) return cached;
  try {
    const bound = readFilter(filter, symbols);
    // A filter on a secret contains it, so it must not be cached.
    if (!symbols.names.some((name) => symbols.find(name)?.is === 'secret' && filter.includes(name))) cache.set(filter, bound);
    return bound;
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('INVALID_FILTER', { cause: { code: 'UNHANDLED', message: error.message } });
    throw error;
  }
};

const readSortParameter = (symbols: Symbols, sort: string | undefined): readonly SortKey[] => {
  if (sort === undefined || sort === '') return [];
  try {
    return readSort(sort, symbols);
  } catch (error) {
    if (error instanceof SortError) throw new ApiError('INVALID_SORT_IDENTIFIER', { cause: { code: 'UNHANDLED', message: error.message } });
    throw error;
  }
};

/**
 * Entities that carry the `#attributes`, all or any of them depending on the semantic, and those selected by `@id`. `#all` selects nothing
 * here.
 */
const rolePredicate = (entries: readonly string[], semantic = 'AllOf'): Predicate => {
  const anyOf = semantic.toLowerCase() === 'anyof';
  if (!anyOf && semantic.toLowerCase() !== 'allof')
    throw invalidField('semantic', `semantic must be AllOf or AnyOf, got '${shownValue('semantic', semantic)}'`, semantic);
  if (entries.length === 0) return { op: 'all' };
  const unsigned = entries.find((entry) => !hasSign(entry));
  if (unsigned !== undefined)
    throw invalidField(
      'roleFilter',
      'role entries must be prefixed with # (to indicate role attributes) or @ (to indicate an id)',
      unsigned,
    );
  const { ids, attributes } = readSelectors(entries);
  const byAttribute: Predicate =
    attributes.length === 0 ? NONE : { op: anyOf ? 'overlaps' : 'covers', set: 'roleAttributes', values: attributes };
  return or(byAttribute, oneOf(stringField('id'), ids));
};
