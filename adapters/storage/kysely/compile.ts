/**
 * Predicates as SQL. Every condition made here may be null where the predicate is false, which only `not` can tell apart:
 * it is therefore `is not true`. Long lists travel as one JSON value.
 */
import type { Ordering, Predicate, Scalar } from '../../../src/adapter-kit.ts';
import { elementFields, type Fields, RowFields } from './fields.ts';
import type { Scope } from './scope.ts';
import { FALSE, joined, raw, type Sql, sql, TRUE } from './sql.ts';

type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

/** How deep in subqueries a condition stands: their aliases must differ. */
type Depth = number;

export const condition = (scope: Scope, kind: string, fields: Fields, predicate: Predicate, depth: Depth = 0): Sql => {
  switch (predicate.op) {
    case 'all':
      return TRUE;
    case 'none':
      return FALSE;
    case 'or': {
      const { listed, rest } = apart(predicate.terms);
      const terms = rest.map((term) => condition(scope, kind, fields, term, depth));
      if (listed.length > 0)
        terms.push(
          sql`${fields.id} in (${joined(
            listed.map((term) => idsOf(scope, kind, term, depth)),
            ' union all ',
          )})`,
        );
      return terms.length === 0 ? FALSE : balanced(terms, ' or ');
    }
    case 'and': {
      const terms = predicate.terms.map((term) => condition(scope, kind, fields, term, depth));
      return terms.length === 0 ? TRUE : balanced(terms, ' and ');
    }
    case 'not':
      return sql`(${condition(scope, kind, fields, predicate.term, depth)}) is not true`;
    case 'isNull':
      return sql`${fields.find(predicate.field).any} is null`;
    case 'compare':
      return compared(fields, predicate);
    case 'in':
      return isOneOf(scope, fields, predicate);
    case 'contains':
      return containing(scope, fields, predicate);
    case 'overlaps':
    case 'covers':
    case 'some':
      if (predicate.op === 'covers' && predicate.values.length === 0) return TRUE;
      return sql`${fields.id} in (${members(scope, kind, predicate, depth)})`;
    case 'coveredBy': {
      const element = alias(depth);
      return sql`not exists (select 1 from ${scope.set(kind, predicate.set, element)} and ${element}.id = ${fields.id} and ${element}.value not in (select e.value from ${scope.engine.elements(JSON.stringify(predicate.values), 'string')}))`;
    }
    case 'size':
      return sized(scope, kind, fields, predicate, depth);
  }
};

type Listed = Membership | Node<'in'>;

/** Alternatives that are lists of ids become one list, so that rows are looked up by it and not asked one alternative after another. */
const apart = (terms: readonly Predicate[]): { readonly listed: readonly Listed[]; readonly rest: readonly Predicate[] } => {
  const listed = terms.filter(isIdList);
  return listed.length < 2 ? { listed: [], rest: terms } : { listed, rest: terms.filter((term) => !isIdList(term)) };
};

const isIdList = (term: Predicate): term is Listed => {
  if (term.op === 'in') return term.field.path.length === 1 && term.field.path[0] === 'id' && term.values.every(isText);
  return term.op === 'overlaps' || term.op === 'some' || (term.op === 'covers' && term.values.length > 0);
};

const isText = (value: Scalar) => typeof value === 'string';

const idsOf = (scope: Scope, kind: string, term: Listed, depth: Depth): Sql =>
  term.op === 'in'
    ? sql`select e.value from ${scope.engine.elements(JSON.stringify(term.values), 'string')}`
    : members(scope, kind, term, depth);

/** A chain of a thousand terms is as deep as it is long to some parsers, and too deep for them; halves of halves are not. */
const balanced = (terms: readonly Sql[], operator: string): Sql => {
  if (terms.length <= LONG_CHAIN) return sql`(${joined(terms, operator)})`;
  const half = terms.length >> 1;
  return sql`(${joined([balanced(terms.slice(0, half), operator), balanced(terms.slice(half), operator)], operator)})`;
};

const LONG_CHAIN = 50;

export type Membership = Node<'some'> | Extract<Predicate, { readonly set: string; readonly values: readonly string[] }>;

/** Up to so many values are said one by one, so that the engine can look up each, or merge the sorted ids of each. */
export const FEW = 8;

/** Selects the ids of the rows whose set is as asked; an id may come more than once unless `overlaps` has few values, or for `covers`. */
export const members = (scope: Scope, kind: string, predicate: Membership, depth: Depth = 0): Sql => {
  const element = alias(depth);
  const selected = sql`select ${element}.id from ${scope.set(kind, predicate.set, element)}`;
  if (predicate.op === 'some')
    return sql`${selected} and ${condition(scope, kind, elementFields(sql`${element}.value`, sql`${element}.id`), predicate.where, depth + 1)}`;
  if (predicate.op === 'covers') return sql`${selected} and ${holdsAll(scope, kind, predicate, element, depth)}`;
  const values = [...new Set(predicate.values)];
  if (values.length > FEW || values.length === 0) return sql`${selected} and ${among(scope, sql`${element}.value`, values, 'string')}`;
  return joined(
    values.map((value) => sql`${selected} and ${element}.value = ${value}`),
    ' union ',
  );
};

type Held = Extract<Predicate, { readonly set: string; readonly values: readonly string[] }>;

/** That the row of an element holds all values, the first of them by this element. */
export const holdsAll = (scope: Scope, kind: string, { set, values }: Held, element: Sql, depth: Depth = 0): Sql => {
  const [first = '', ...rest] = new Set(values);
  return joined([sql`${element}.value = ${first}`, ...holdsToo(scope, kind, { set, values: rest }, element, depth)], ' and ');
};

/** That the row of an element holds other values: a few are looked up one by one; of many it is asked whether one is missing. */
export const holdsToo = (
  scope: Scope,
  kind: string,
  { set, values }: Pick<Held, 'set' | 'values'>,
  element: Sql,
  depth: Depth = 0,
): readonly Sql[] => {
  const other = raw(`o${depth}`);
  const holding = (value: Sql | string) =>
    sql`exists (select 1 from ${scope.set(kind, set, other)} and ${other}.value = ${value} and ${other}.id = ${element}.id)`;
  if (values.length <= FEW) return values.map(holding);
  return [sql`not exists (select 1 from ${scope.engine.elements(JSON.stringify(values), 'string')} where not ${holding(raw('e.value'))})`];
};

const OPERATORS: Readonly<Record<Ordering, Sql>> = { '=': raw('='), '<': raw('<'), '<=': raw('<='), '>': raw('>'), '>=': raw('>=') };

const compared = (fields: Fields, { field, is, value }: Node<'compare'>): Sql => {
  const access = fields.find(field);
  const found = typeof value === 'string' ? access.text : typeof value === 'number' ? access.number : access.boolean;
  return found ? sql`${found} ${OPERATORS[is]} ${value}` : FALSE;
};

const isOneOf = (scope: Scope, fields: Fields, { field, values }: Node<'in'>): Sql => {
  const access = fields.find(field);
  const types = (['string', 'number', 'boolean'] as const).flatMap((type) => {
    const ofType = values.filter((value) => typeof value === type);
    const found = ofType.length === 0 ? undefined : access[type === 'string' ? 'text' : type];
    return found ? [among(scope, found, ofType, type)] : [];
  });
  return types.length === 0 ? FALSE : sql`(${joined(types, ' or ')})`;
};

const among = (scope: Scope, found: Sql, values: readonly Scalar[], type: 'string' | 'number' | 'boolean'): Sql => {
  const [only, ...more] = values;
  if (only === undefined) return FALSE;
  if (more.length === 0) return sql`${found} = ${only}`;
  if (values.length <= FEW)
    return sql`${found} in (${joined(
      values.map((value) => sql`${value}`),
      ', ',
    )})`;
  return sql`${found} in (select e.value from ${scope.engine.elements(JSON.stringify(values), type)})`;
};

const containing = ({ engine }: Scope, fields: Fields, { field, value, fold }: Node<'contains'>): Sql => {
  const { text } = fields.find(field);
  if (!text) return FALSE;
  return fold ? engine.contains(engine.folded(text), value.toUpperCase()) : engine.contains(text, value);
};

const sized = (scope: Scope, kind: string, fields: Fields, { set, is, value, of }: Node<'size'>, depth: Depth): Sql => {
  const element = alias(depth);
  const held = sql`select count(*) from ${scope.set(kind, set, element)} and ${element}.id = ${fields.id}`;
  if (!of) return sql`(${held}) ${OPERATORS[is]} ${value}`;
  const others = new RowFields(scope.engine, scope.layout(of.kind), `r${depth}`);
  const where = condition(scope, of.kind, others, of.where, depth + 1);
  return sql`(${held} and ${element}.value in (select ${others.id} from ${scope.rows(of.kind, others)} and ${where})) ${OPERATORS[is]} ${value}`;
};

export const alias = (depth: Depth): Sql => raw(`s${depth}`);
