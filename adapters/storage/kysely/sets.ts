/** Conditions on a set, as subqueries of the table of its elements: for all rows that hold the elements, or for one row. */
import { and, type Predicate, type Scalar } from '../../../src/adapter-kit.ts';
import type { Fields } from './fields.ts';
import type { Layout } from './layout.ts';
import type { Scope } from './scope.ts';
import { EMPTY, FALSE, joined, raw, type Sql, sql } from './sql.ts';

/** The nesting depth of a subquery, which makes its aliases unique. */
export type Depth = number;

export type SetCondition = Extract<Predicate, { readonly set: string; readonly values: readonly string[] }>;

/** Up to this number, values are separate terms, so that the engine can look up each one, or merge their sorted ids. Longer lists are JSON. */
export const FEW = 8;

export const alias = (depth: Depth): Sql => raw(`s${depth}`);

/** Selects the ids of the rows that hold one of the values, or all of them. Without duplicates for up to `FEW` values. */
export const holders = (scope: Scope, kind: string, predicate: SetCondition, depth: Depth = 0): Sql => {
  const element = alias(depth);
  const selected = sql`select ${element}.id from ${scope.set(kind, predicate.set, element)}`;
  if (predicate.op === 'covers') return sql`${selected} and ${holdsAll(scope, kind, predicate, element, depth)}`;
  const values = [...new Set(predicate.values)];
  if (values.length > FEW || values.length === 0) return sql`${selected} and ${among(scope, sql`${element}.value`, values, 'string')}`;
  return joined(
    values.map((value) => sql`${selected} and ${element}.value = ${value}`),
    ' union ',
  );
};

/** The condition that a row holds all values; `element` is its element with the first one. */
export const holdsAll = (scope: Scope, kind: string, { set, values }: SetCondition, element: Sql, depth: Depth = 0): Sql => {
  const [first = '', ...rest] = new Set(values);
  return joined([sql`${element}.value = ${first}`, ...holdsToo(scope, kind, { set, values: rest }, sql`${element}.id`, depth)], ' and ');
};

/** The condition that a row holds all values: a few are looked up one by one; for many, it tests that none is missing. */
export const holdsToo = (
  scope: Scope,
  kind: string,
  { set, values }: Pick<SetCondition, 'set' | 'values'>,
  id: Sql,
  depth: Depth = 0,
): readonly Sql[] => {
  const other = raw(`o${depth}`);
  const holding = (value: Sql | string) =>
    sql`exists (select 1 from ${scope.set(kind, set, other)} and ${other}.value = ${value} and ${other}.id = ${id}${scope.engine.optimizationFence ?? EMPTY})`;
  if (values.length <= FEW) return values.map(holding);
  return [
    sql`not exists (select 1 from ${scope.engine.jsonElements(JSON.stringify(values), 'string')} where not ${holding(raw('e.value'))})`,
  ];
};

/** The condition that one row holds one of the values, or all of them, as a correlated subquery. */
export const holds = (scope: Scope, kind: string, { id }: Fields, predicate: SetCondition, depth: Depth): Sql => {
  if (predicate.op === 'covers') return sql`(${joined(holdsToo(scope, kind, predicate, id, depth), ' and ')})`;
  const element = alias(depth);
  return sql`exists (select 1 from ${scope.set(kind, predicate.set, element)} and ${element}.id = ${id} and ${among(scope, sql`${element}.value`, predicate.values, 'string')}${scope.engine.optimizationFence ?? EMPTY})`;
};

export const among = (scope: Scope, found: Sql, values: readonly Scalar[], type: 'string' | 'number' | 'boolean'): Sql => {
  const [only, ...more] = values;
  if (only === undefined) return FALSE;
  if (more.length === 0) return sql`${found} = ${only}`;
  if (values.length <= FEW)
    return sql`${found} in (${joined(
      values.map((value) => sql`${value}`),
      ', ',
    )})`;
  return sql`${found} in (select e.value from ${scope.engine.jsonElements(JSON.stringify(values), type)})`;
};

/** True if the predicate only requires that rows contain one of a few values, or all values of a list. */
export const isListed = (where: Predicate): where is SetCondition =>
  (where.op === 'covers' && where.values.length > 0) || (where.op === 'overlaps' && where.values.length <= FEW);

/** The driving table of a query about a set. It is sorted by value and id, so a scan of one value meets its rows in order of id, and stops when the page is full. */
export interface Start {
  /** The elements to scan. */
  readonly driving: SetCondition;
  /** Elements that the same rows must contain as well. */
  readonly further: readonly SetCondition[];
  readonly rest: Predicate;
}

/** @returns undefined if no element is required, or if an id or a unique value finds fewer rows */
export const elementToStartFrom = (layout: Layout, where: Predicate): Start | undefined => {
  const terms = where.op === 'and' ? where.terms : [where];
  if (terms.some((term) => isLookup(layout, term))) return undefined;
  const [driving, ...further] = terms.filter(isDriving);
  return driving && { driving, further, rest: and(...terms.filter((term) => !isDriving(term))) };
};

const isDriving = (term: Predicate): term is SetCondition =>
  (term.op === 'covers' && term.values.length > 0) || (term.op === 'overlaps' && term.values.length === 1);

const isLookup = (layout: Layout, term: Predicate): boolean => {
  if (!(term.op === 'in' || (term.op === 'compare' && term.is === '=')) || term.field.path.length > 1) return false;
  const [name] = term.field.path;
  return name === 'id' || layout.columns.get(name)?.index === 'unique';
};
