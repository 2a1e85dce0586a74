/**
 * Evaluates predicates on rows in memory, as stores do in their query languages. Each `Predicate` node is compiled to a closure, so that
 * computations that do not depend on the row are done only once.
 */
import { compareText } from './order.ts';
import { ELEMENT, type Ordering, type Predicate } from './predicate.ts';
import { type Document, reader, textReader } from './read.ts';

/** Finds a row of another kind, for predicates about the entities that a set refers to. */
export type Lookup = (kind: string, id: string) => Document | undefined;

type Matcher = (row: Document) => boolean;
type Node<Op extends Predicate['op']> = Extract<Predicate, { readonly op: Op }>;

/** True if the row satisfies the predicate. For many rows, call `compileMatcher` once instead. */
export const matches = (predicate: Predicate, row: Document, lookup?: Lookup): boolean => compileMatcher(predicate, lookup)(row);

/**
 * Compiles the predicate to a function that returns true for rows that satisfy it.
 *
 * @throws TypeError if the predicate depends on rows of another kind and there is no `lookup`
 */
export const compileMatcher = (predicate: Predicate, lookup?: Lookup): Matcher => {
  switch (predicate.op) {
    case 'all':
      return () => true;
    case 'none':
      return () => false;
    case 'and':
    case 'or':
      return compileJunction(predicate, lookup);
    case 'not': {
      const term = compileMatcher(predicate.term, lookup);
      return (row) => !term(row);
    }
    case 'compare':
      return compileCompare(predicate);
    case 'in':
      return compileIn(predicate);
    case 'contains':
      return compileContains(predicate);
    case 'isNull': {
      const read = reader(predicate.field);
      return (row) => (read(row) ?? null) === null;
    }
    case 'overlaps':
    case 'covers':
    case 'coveredBy':
      return compileSetRelation(predicate);
    case 'some': {
      const where = compileMatcher(predicate.where);
      const [key] = ELEMENT.path;
      return (row) => elements(row, predicate.set).some((element) => where({ [key]: element }));
    }
    case 'size':
      return compileSize(predicate, lookup);
  }
};

const compileJunction = ({ op, terms }: Node<'and' | 'or'>, lookup: Lookup | undefined): Matcher => {
  const matchers = terms.map((term) => compileMatcher(term, lookup));
  return op === 'and' ? (row) => matchers.every((matcher) => matcher(row)) : (row) => matchers.some((matcher) => matcher(row));
};

const HOLDS: Readonly<Record<Ordering, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const compileCompare = ({ field, is, value }: Node<'compare'>): Matcher => {
  const holds = HOLDS[is];
  if (typeof value === 'string') {
    const read = textReader(field);
    if (is === '=') return (row) => read(row) === value;
    return (row) => {
      const text = read(row);
      return text !== undefined && holds(compareText(text, value));
    };
  }
  const read = reader(field);
  return (row) => {
    const found = read(row);
    return typeof found === typeof value && holds(Number(found) - Number(value));
  };
};

const compileIn = ({ field, values }: Node<'in'>): Matcher => {
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const others = new Set<unknown>(values.filter((value) => typeof value !== 'string'));
  const read = reader(field);
  const readText = textReader(field);
  return (row) => {
    if (others.size > 0 && others.has(read(row))) return true;
    const text = texts.size > 0 ? readText(row) : undefined;
    return text !== undefined && texts.has(text);
  };
};

const compileContains = ({ field, value, fold }: Node<'contains'>): Matcher => {
  const read = textReader(field);
  if (!fold) return (row) => read(row)?.includes(value) ?? false;
  const folded = value.toUpperCase();
  return (row) => read(row)?.toUpperCase().includes(folded) ?? false;
};

const elements = (row: Document, set: string): readonly unknown[] => {
  const value = row[set];
  return Array.isArray(value) ? value : [];
};

const compileSetRelation = ({ op, set, values }: Node<'overlaps' | 'covers' | 'coveredBy'>): Matcher => {
  const accepted = new Set<unknown>(values);
  if (op === 'overlaps') return (row) => elements(row, set).some((element) => accepted.has(element));
  if (op === 'coveredBy') return (row) => elements(row, set).every((element) => accepted.has(element));
  return (row) => {
    const present = elements(row, set);
    return values.every((value) => present.includes(value));
  };
};

const compileSize = ({ set, is, value, of }: Node<'size'>, lookup: Lookup | undefined): Matcher => {
  const holds = HOLDS[is];
  if (of === undefined) return (row) => holds(elements(row, set).length - value);
  if (lookup === undefined)
    throw new TypeError(`the predicate depends on the ${of.kind} rows to which '${set}' refers, but no lookup was given`);
  const where = compileMatcher(of.where, lookup);
  const counts = (element: unknown): boolean => {
    const row = typeof element === 'string' ? lookup(of.kind, element) : undefined;
    return row !== undefined && where(row);
  };
  return (row) => holds(elements(row, set).filter(counts).length - value);
};
