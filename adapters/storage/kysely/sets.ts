/** Conditions on a set, as subqueries on the table of its elements, which find all rows that contain the elements or test a single row. */
import { and, type Predicate, type Scalar } from '../../../src/adapter-kit.ts';
import type { Fields } from './fields.ts';
import type { Layout } from './layout.ts';
import type { Scope } from './scope.ts';
import { EMPTY, FALSE, joined, raw, type Sql, sql } from './sql.ts';

/** The nesting depth of a subquery, which makes its aliases unique. */
export type Depth = number;

export type SetCondition = Extract<Predicate, { readonly set: string; readonly values: readonly string[] }>;

/**
 * Up to this number, values are separate terms, so that the engine can look each one up or merge their sorted ids. Longer lists are passed
 * as JSON.
 */
export const MAX_SEPARATE_VALUES = 8;

export const alias = (depth: Depth): Sql => raw(`s${depth}`);

/**
 * Selects the ids of the rows that contain one of the values, or all of them. The ids are distinct for up to `MAX_SEPARATE_VALUES` values.
 */
export const idsContaining = (scope: Scope, kind: string, predicate: SetCondition, depth: Depth = 0): Sql => {
  const element = alias(depth);
  const selected = sql`select ${element}.id from ${scope.set(kind, predicate.set, element)}`;
  if (predicate.op === 'covers') return sql`${selected} and ${elementHasAll(scope, kind, predicate, element, depth)}`;
  const values = [...new Set(predicate.values)];
  if (values.length > MAX_SEPARATE_VALUES || values.length === 0)
    return sql`${selected} and ${among(scope, sql`${element}.value`, values, 'string')}`;
  return joined(
    values.map((value) => sql`${selected} and ${element}.value = ${value}`),
    ' union ',
  );
};

/** The condition that a row contains all values. `element` is the alias of the row's element with the first value. */
export const elementHasAll = (scope: Scope, kind: string, { set, values }: SetCondition, element: Sql, depth: Depth = 0): Sql => {
  const [first = '', ...rest] = new Set(values);
  return joined(
    [sql`${element}.value = ${first}`, ...containsEach(scope, kind, { set, values: rest }, sql`${element}.id`, depth)],
    ' and ',
  );
};

/**
 * The conditions that a row contains all values. A few values are looked up one by one; for many, the condition is that none is missing.
 */
export const containsEach = (
  scope: Scope,
  kind: string,
  { set, values }: Pick<SetCondition, 'set' | 'values'>,
  id: Sql,
  depth: Depth = 0,
): readonly Sql[] => {
  const other = raw(`o${depth}`);
  const contains = (value: Sql | string) =>
    sql`exists (select 1 from ${scope.set(kind, set, other)} and ${other}.value = ${value} and ${other}.id = ${id}${scope.engine.optimizationFence ?? EMPTY})`;
  if (values.length <= MAX_SEPARATE_VALUES) return values.map(contains);
  return [
    sql`not exists (select 1 from ${scope.engine.jsonElements(JSON.stringify(values), 'string')} where not ${contains(raw('e.value'))})`,
  ];
};

/** The condition that a given row contains one of the values, or all of them, as a correlated subquery. */
export const containsCondition = (scope: Scope, kind: string, { id }: Fields, predicate: SetCondition, depth: Depth): Sql => {
  if (predicate.op === 'covers') return sql`(${joined(containsEach(scope, kind, predicate, id, depth), ' and ')})`;
  const element = alias(depth);
  return sql`exists (select 1 from ${scope.set(kind, predicate.set, element)} and ${element}.id = ${id} and ${among(scope, sql`${element}.value`, predicate.values, 'string')}${scope.engine.optimizationFence ?? EMPTY})`;
};

export const among = (scope: Scope, operand: Sql, values: readonly Scalar[], type: 'string' | 'number' | 'boolean'): Sql => {
  const [only, ...more] = values;
  if (only === undefined) return FALSE;
  if (more.length === 0) return sql`${operand} = ${only}`;
  if (values.length <= MAX_SEPARATE_VALUES)
    return sql`${operand} in (${joined(
      values.map((value) => sql`${value}`),
      ', ',
    )})`;
  return sql`${operand} in (select e.value from ${scope.engine.jsonElements(JSON.stringify(values), type)})`;
};

/** True if the predicate only requires a row to contain one of a few values, or all values of a list. */
export const isListed = (where: Predicate): where is SetCondition =>
  (where.op === 'covers' && where.values.length > 0) || (where.op === 'overlaps' && where.values.length <= MAX_SEPARATE_VALUES);

/**
 * A query driven by the table of a set. The table is sorted by value and id, so a scan of one value finds rows in order of id, and stops at
 * a full page.
 */
export interface SetDrivenQuery {
  /** The elements to scan. */
  readonly driving: SetCondition;
  /** Elements that the same rows must contain as well. */
  readonly further: readonly SetCondition[];
  readonly rest: Predicate;
}

/**
 * @returns undefined if the predicate requires no element, or if it can be answered by looking up an id or a unique value, which finds
 * fewer rows
 */
export const drivenBySet = (layout: Layout, where: Predicate): SetDrivenQuery | undefined => {
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
