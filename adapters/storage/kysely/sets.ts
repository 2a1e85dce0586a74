/** Questions about a set of a row, asked of the table of its elements: from the elements to all rows that hold them, or row by row. */
import type { Predicate, Scalar } from '../../../src/adapter-kit.ts';
import type { Fields } from './fields.ts';
import type { Scope } from './scope.ts';
import { EMPTY, FALSE, joined, raw, type Sql, sql } from './sql.ts';

/** How deep in subqueries a condition stands: their aliases must differ. */
export type Depth = number;

export type Held = Extract<Predicate, { readonly set: string; readonly values: readonly string[] }>;

/** Up to so many values are said one by one, so that the engine can look up each, or merge the sorted ids of each. */
export const FEW = 8;

export const alias = (depth: Depth): Sql => raw(`s${depth}`);

/** The ids of the rows that hold one of the values (each id once, if these are few), or all of them. */
export const holders = (scope: Scope, kind: string, predicate: Held, depth: Depth = 0): Sql => {
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

/** That the row of an element holds all values, the first of them by this element. */
export const holdsAll = (scope: Scope, kind: string, { set, values }: Held, element: Sql, depth: Depth = 0): Sql => {
  const [first = '', ...rest] = new Set(values);
  return joined([sql`${element}.value = ${first}`, ...holdsToo(scope, kind, { set, values: rest }, sql`${element}.id`, depth)], ' and ');
};

/** That the row of an id holds all values: a few are looked up one by one; of many it is asked whether one is missing. */
export const holdsToo = (
  scope: Scope,
  kind: string,
  { set, values }: Pick<Held, 'set' | 'values'>,
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

/** Whether one row holds one of the values, or all of them, asked from the row. */
export const holds = (scope: Scope, kind: string, { id }: Fields, predicate: Held, depth: Depth): Sql => {
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
