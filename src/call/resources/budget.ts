/** Limits the cost of queries, so that no client can block others. The host itself has no limit (docs/filters.md, "Query cost"). */

import type { Kind } from '../../contract/api/kit/resource.ts';
import { ApiError, invalidField } from '../../contract/errors/index.ts';
import { ALL, costOf, type FieldRef, oneOf, type Predicate, type Price, priceOf, type Shape, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { storageSchema } from '../../store/storage/schema.ts';
import { isAdministrator } from '../actor.ts';
import type { Call } from '../call.ts';
import { kindOf } from './kinds.ts';
import type { ListInput, ListPlan } from './lists.ts';

/**
 * Refuses a query that costs more than the caller may spend on one, before it reaches the store.
 *
 * @param within the predicate that restricts the list to some rows, such as those related to a parent
 * @returns the same predicate; if the query is affordable only for these rows, as a list of ids, so that any store starts with them
 * @throws ApiError if the query costs too much
 */
export const affordable = async (
  entities: Entities,
  kind: Kind,
  input: ListInput,
  { where, sort }: Pick<ListPlan, 'where' | 'sort'>,
  call: Call,
  within: Predicate = ALL,
): Promise<Predicate> => {
  const limit = limitOf(call);
  if (limit === Infinity || within.op === 'none') return within;
  const price = priceOf(kind.kind, where, sort, shapeOf);
  if (isAlwaysCheap(price, limit)) return within;
  const rows = await countRows(entities, [kind.kind, ...kindsIn(price)]);
  const cost = (priced: Price) => costOf(kind.kind, priced, (name) => rows.get(name) ?? 0);
  if (cost(price) <= limit) return within;
  const ids = within.op === 'all' ? undefined : await idsUpTo(entities, kind, within, maxRows(price, limit, cost));
  if (!ids) throw tooExpensive(input, cost(price), limit);
  return oneOf(stringField('id'), ids);
};

/** The maximum number of rows for which the query stays within the budget if they are fetched first. */
const maxRows = (price: Price, limit: number, cost: (priced: Price) => number): number => {
  const fetched = (reach: number) => cost({ ...price, readsDocument: true, reach: Math.min(price.reach, reach) });
  return Math.floor((limit - fetched(0)) / (fetched(1) - fetched(0)));
};

/** The ids of the rows; undefined if there are more than `max`. */
const idsUpTo = async (entities: Entities, kind: Kind, where: Predicate, max: number): Promise<readonly string[] | undefined> => {
  if (max < 1) return undefined;
  const rows = await entities.list(kind, { where, limit: max + 1 });
  return rows.length > max ? undefined : rows.map(({ id }) => id);
};

/**
 * Refuses a list whose rows are filtered in memory if it costs too much.
 * @throws ApiError
 */
export const assertAffordableInMemory = (call: Call, input: ListInput, { where, sort }: ListPlan, rows: number): void => {
  const limit = limitOf(call);
  const cost = costOf(
    '',
    priceOf('', where, sort, () => IN_MEMORY),
    () => rows,
  );
  if (cost > limit) throw tooExpensive(input, cost, limit);
};

const IN_MEMORY: Shape = { column: () => 'plain' };

const limitOf = ({ actor, core: { settings } }: Call): number => {
  if (actor.kind === 'system') return Infinity;
  return isAdministrator(actor) ? settings.maxQueryCostOfAdministrators : settings.maxQueryCostOfSessions;
};

/** True if the query stays within the limit for any number of rows. */
const isAlwaysCheap = ({ perRow, perEveryRow, reach, readsDocument, inner }: Price, limit: number): boolean =>
  perEveryRow === 0 && inner.length === 0 && !readsDocument && (perRow === 0 || reach * perRow <= limit);

const kindsIn = ({ inner }: Price): readonly string[] => inner.flatMap(({ kind, price }) => [kind, ...kindsIn(price)]);

const countRows = async (entities: Entities, kinds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const counted = [...new Set(kinds)].map(async (name) => {
    const kind = kindOf(kindOf(name)?.view?.of ?? name);
    return [name, kind ? await entities.count(kind, ALL) : 0] as const;
  });
  return new Map(await Promise.all(counted));
};

const tooExpensive = ({ filter, roleFilter }: ListInput, cost: number, limit: number): ApiError => {
  const why = `costs about ${Math.ceil(cost)}, and you may spend ${limit} on one query: use fewer conditions at once, name ids or unique values, or compare without icontains`;
  if (filter) return new ApiError('INVALID_FILTER', { cause: { code: 'UNHANDLED', message: `the filter '${shortened(filter)}' ${why}` } });
  if (roleFilter?.length) return invalidField('roleFilter', `roleFilter ${why}`, roleFilter);
  return new ApiError('INVALID_SORT_IDENTIFIER', { cause: { code: 'UNHANDLED', message: `this order ${why}` } });
};

const shortened = (filter: string): string => (filter.length > 80 ? `${filter.slice(0, 80)}...` : filter);

const shapes = new Map<string, Shape>();

const shapeOf = (name: string): Shape => {
  const cached = shapes.get(name);
  if (cached) return cached;
  const kind = kindOf(name);
  const columns = storageSchema.find((stored) => stored.kind === (kind?.view?.of ?? name))?.columns ?? [];
  const columnTypes = new Map<string, 'unique' | 'plain'>([
    // Symbols that only the behaviour of a kind can resolve become a condition on a column.
    ...Object.entries(kind?.symbols ?? {}).flatMap(([name, symbol]) => ('computed' in symbol ? [[name, 'plain'] as const] : [])),
    ...columns.map(({ name: column, index }) => [column, index === 'unique' ? 'unique' : 'plain'] as const),
    ...(['createdAt', 'updatedAt'] as const).map((column) => [column, 'plain'] as const),
    ['id', 'unique'],
  ]);
  const shape: Shape = { column: ({ path: [first, ...deeper] }: FieldRef) => (deeper.length === 0 ? columnTypes.get(first) : undefined) };
  shapes.set(name, shape);
  return shape;
};
