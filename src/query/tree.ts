/**
 * The syntax tree of a filter, before its names are bound to a kind (`bind.ts`). `at` is always an offset in the filter, from 0.
 * Parentheses are represented only by the structure of the tree.
 */
import type { Literal } from './literal.ts';

export interface Filter {
  readonly where: Condition | undefined;
  readonly sort: readonly SortItem[] | undefined;
  readonly skip: number | undefined;
  readonly limit: number | 'none' | undefined;
}

export type Condition =
  | { readonly is: 'constant'; readonly value: boolean }
  | { readonly is: 'flag'; readonly name: Name }
  | { readonly is: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly is: 'not'; readonly term: Condition }
  | { readonly is: 'empty'; readonly set: SetQuery }
  | Comparison;

export interface Comparison {
  readonly is: 'comparison';
  readonly subject: Subject;
  /** `!=` is `=` negated. */
  readonly operator: Operator;
  readonly negated: boolean;
  /** One value; two for `between`; at least one, all of one kind, for `in`. */
  readonly values: readonly [Literal, ...Literal[]];
  /** Position of the operator. */
  readonly at: number;
}

export type Operator = '=' | '<' | '<=' | '>' | '>=' | 'contains' | 'icontains' | 'in' | 'between';

export type Subject = { readonly is: 'field' | 'anyOf' | 'allOf'; readonly name: Name } | { readonly is: 'count'; readonly set: SetQuery };

/** A set, or the subset of its elements that satisfy `where` (`from <set> where <query>`). */
export interface SetQuery {
  readonly name: Name;
  readonly where: Filter | undefined;
}

export interface Name {
  readonly text: string;
  readonly at: number;
}

export interface SortItem {
  readonly name: Name;
  readonly descending: boolean;
}
