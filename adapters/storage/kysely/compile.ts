/**
 * Compiles predicates to SQL. A condition may evaluate to null if the predicate is false. Only `not` distinguishes the two, so it is
 * compiled to `isNotTrue`. A long list becomes one parameter, encoded as JSON.
 */
import type { Ordering, Predicate, Scalar } from '../../../src/adapter-kit.ts';
import { elementFields, type Fields, RowFields } from './fields.ts';
import type { Scope } from './scope.ts';
import { alias, among, containsCondition, type Depth, idsContaining, type SetCondition } from './sets.ts';
import { EMPTY, FALSE, joined, raw, type Sql, sql, TRUE } from './sql.ts';

type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

export const condition = (scope: Scope, kind: string, fields: Fields, predicate: Predicate, depth: Depth = 0): Sql => {
  switch (predicate.op) {
    case 'all':
      return TRUE;
    case 'none':
      return FALSE;
    case 'or': {
      // Combines alternatives that are lists of ids into one list for looking up rows, instead of testing every row for each alternative.
      const { listed, rest } = severalListed(predicate.terms, !fields.prefersCorrelated, isIdList);
      const terms = rest.map((term) => condition(scope, kind, fields, term, depth));
      if (listed.length > 0) terms.push(sql`${fields.id} in (${idsOf(scope, kind, listed, ' union all ', depth)})`);
      return terms.length === 0 ? FALSE : balanced(terms, ' or ');
    }
    case 'and': {
      // Combines several required elements into one list with `intersect`, so that, on engines with an optimization fence, the planner does
      // not get to choose the join order.
      const { listed, rest } = severalListed(
        predicate.terms,
        !fields.prefersCorrelated && scope.engine.optimizationFence !== undefined,
        isCovers,
      );
      const terms = rest.map((term) => condition(scope, kind, fields, term, depth));
      if (listed.length > 0) terms.push(sql`${fields.id} in (${idsIn(scope, kind, { op: 'and', terms: listed }, depth)})`);
      return terms.length === 0 ? TRUE : balanced(terms, ' and ');
    }
    case 'not':
      return isNotTrue(scope, condition(scope, kind, fields, predicate.term, depth));
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
      if (predicate.op === 'covers' && predicate.values.length === 0) return TRUE;
      return fields.prefersCorrelated
        ? containsCondition(scope, kind, fields, predicate, depth)
        : sql`${fields.id} in (${idsContaining(scope, kind, predicate, depth)})`;
    case 'some':
      return sql`${fields.id} in (${someElement(scope, kind, predicate, depth)})`;
    case 'coveredBy': {
      const element = alias(depth);
      return sql`not exists (select 1 from ${scope.set(kind, predicate.set, element)} and ${element}.id = ${fields.id} and ${element}.value not in (select e.value from ${scope.engine.jsonElements(JSON.stringify(predicate.values), 'string')}))`;
    }
    case 'size':
      return sized(scope, kind, fields, predicate, depth);
  }
};

const isCovers = (term: Predicate): term is SetCondition => term.op === 'covers' && term.values.length > 0;

/** Separates the terms that are lists of ids from the rest, if there are several and `isUseful`. */
const severalListed = <T extends Listed>(terms: readonly Predicate[], isUseful: boolean, isListed: (term: Predicate) => term is T) => {
  const listed = isUseful ? terms.filter(isListed) : [];
  return listed.length < 2 ? { listed: [], rest: terms } : { listed, rest: terms.filter((term) => !isListed(term)) };
};

/** A predicate that compiles to a list of ids. An `and` is such a list if each of its terms requires a row to contain certain values. */
export type Listed = SetCondition | Node<'in'> | Node<'some'> | { readonly op: 'and'; readonly terms: readonly SetCondition[] };

export const isIdList = (term: Predicate): term is Listed => {
  if (term.op === 'in') return term.field.path.length === 1 && term.field.path[0] === 'id' && term.values.every(isText);
  if (term.op === 'and') return term.terms.every(isCovers);
  return term.op === 'overlaps' || term.op === 'some' || isCovers(term);
};

const isText = (value: Scalar) => typeof value === 'string';

/** The ids of all lists. `union` removes duplicates. */
export const idsOf = (scope: Scope, kind: string, lists: readonly Listed[], by: ' union ' | ' union all ', depth: Depth = 0): Sql =>
  united(
    lists.map((list) => idsIn(scope, kind, list, depth)),
    by,
    depth,
  );

/** SQLite allows 500 terms in a compound select, and a list may itself consist of several. A subquery counts as one term. */
const united = (lists: readonly Sql[], by: ' union ' | ' union all ', depth: Depth): Sql => {
  if (lists.length <= LONG_CHAIN) return joined(lists, by);
  const parts = Array.from({ length: Math.ceil(lists.length / LONG_CHAIN) }, (_, part) =>
    joined(lists.slice(part * LONG_CHAIN, (part + 1) * LONG_CHAIN), by),
  );
  return joined(
    parts.map((part) => sql`select id from (${part}) as u${raw(String(depth))}`),
    by,
  );
};

const idsIn = (scope: Scope, kind: string, list: Listed, depth: Depth): Sql => {
  switch (list.op) {
    case 'in': {
      const row = new RowFields(scope.engine, scope.layout(kind), `r${depth}`);
      return sql`select ${row.id} from ${scope.rows(kind, row)} and ${row.id} in (select e.value from ${scope.engine.jsonElements(JSON.stringify(list.values), 'string')})`;
    }
    case 'some':
      return someElement(scope, kind, list, depth);
    case 'and': {
      // Each list is sorted by id, so the intersection is a merge.
      const lists = list.terms.map((term) => idsIn(scope, kind, term, depth));
      return sql`select id from (${joined(lists, ' intersect ')}${scope.engine.mergeIntersect ?? EMPTY}) as i${raw(String(depth))}`;
    }
    default:
      return idsContaining(scope, kind, list, depth);
  }
};

const someElement = (scope: Scope, kind: string, { set, where }: Node<'some'>, depth: Depth): Sql => {
  const element = alias(depth);
  const matches = condition(scope, kind, elementFields(sql`${element}.value`, sql`${element}.id`), where, depth + 1);
  return sql`select ${element}.id from ${scope.set(kind, set, element)} and ${matches}`;
};

/** Some parsers nest a chain of terms one level deeper per term, and reject a chain of a thousand. A balanced tree stays shallow. */
const balanced = (terms: readonly Sql[], operator: string): Sql => {
  if (terms.length <= LONG_CHAIN) return sql`(${joined(terms, operator)})`;
  const half = terms.length >> 1;
  return sql`(${joined([balanced(terms.slice(0, half), operator), balanced(terms.slice(half), operator)], operator)})`;
};

const LONG_CHAIN = 50;

const OPERATORS: Readonly<Record<Ordering, Sql>> = { '=': raw('='), '<': raw('<'), '<=': raw('<='), '>': raw('>'), '>=': raw('>=') };

const isNotTrue = ({ engine }: Scope, operand: Sql): Sql => engine.isNotTrue?.(operand) ?? sql`(${operand}) is not true`;

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

const containing = ({ engine }: Scope, fields: Fields, { field, value, fold }: Node<'contains'>): Sql => {
  const { text } = fields.find(field);
  if (!text) return FALSE;
  return fold ? engine.contains(engine.upperCase(text), value.toUpperCase()) : engine.contains(text, value);
};

const sized = (scope: Scope, kind: string, fields: Fields, { set, is, value, of }: Node<'size'>, depth: Depth): Sql => {
  const element = alias(depth);
  const elementCount = sql`select count(*) from ${scope.set(kind, set, element)} and ${element}.id = ${fields.id}`;
  if (!of) return sql`(${elementCount}) ${OPERATORS[is]} ${value}`;
  const others = new RowFields(scope.engine, scope.layout(of.kind), `r${depth}`);
  const where = condition(scope, of.kind, others, of.where, depth + 1);
  // Without `unindexed`, a planner may repeat the lookup of all rows that satisfy the predicate for each row that is tested.
  const elementValue = sql`${element}.value`;
  const tested = scope.engine.unindexed?.(elementValue) ?? elementValue;
  return sql`(${elementCount} and ${tested} in (select ${others.id} from ${scope.rows(of.kind, others)} and ${where})) ${OPERATORS[is]} ${value}`;
};
