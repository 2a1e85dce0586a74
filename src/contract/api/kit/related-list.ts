import type * as z from 'zod';
import { surfaces as SURFACES } from '../surfaces/index.ts';
import type { Surface } from '../surfaces/surface.ts';
import { listQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { type Group, type Operation, operation, type Page, page } from './operation.ts';
import type { DetailOf, Kind } from './resource.ts';
import { rightTo } from './right.ts';

/** The link of the entities of a related list (the children) to the entity whose list it is (the parent). */
export type RelationLink =
  /** The reference `field` of a child is the id of the parent. */
  | { readonly by: 'reference'; readonly field: string }
  /** The set `field` of a child contains the id of the parent. */
  | { readonly by: 'referenceInSet'; readonly field: string }
  /** The set `field` of the parent contains the ids of the children. */
  | { readonly by: 'idInSet'; readonly field: string }
  /** The children are policies whose role array `field` selects the parent. */
  | { readonly by: 'selecting'; readonly field: string }
  /** The parent is a policy whose role array `field` selects the children. */
  | { readonly by: 'selected'; readonly field: string }
  /** A policy selects both. */
  | ({ readonly by: 'policies' } & PolicyPath);

/** The link between entities of two kinds through policies that select both, with the role arrays `from` and `to`. */
export interface PolicyPath {
  readonly policies: Kind;
  readonly from: string;
  readonly to: string;
}

/** The list of the entities of kind `child` that are related to one of kind `parent`: `GET /<parents>/{id}/<children>`. */
export interface RelatedList {
  readonly parent: Kind;
  readonly child: Kind;
  readonly link: RelationLink;
  /** Name of the group of the parent: `identities`. */
  readonly group: string;
  /** Name of the operation in the group: `listServices`. */
  readonly verb: string;
  readonly operation: Operation;
}

type GroupOf<K extends Kind> = Uncapitalize<K['names'][1]>;
export type VerbOf<K extends Kind> = `list${K['names'][1]}`;
type Id = { readonly id: string };

/** The query of a list: at least the parameters that every list has. */
export type ListQuerySchema = typeof listQuery;

/** A related list with its names and schemas. */
export interface TypedList<P extends Kind, C extends Kind, Q extends ListQuerySchema> extends RelatedList {
  readonly group: GroupOf<P>;
  readonly verb: VerbOf<C>;
  readonly operation: Operation<Id & z.input<Q>, Page<DetailOf<C>>, Id & z.output<Q>>;
}

export interface RelatedListOptions<V extends string, Q extends ListQuerySchema> {
  /** Default: the query of every list. */
  readonly query?: Q;
  /** Published names of the operations that differ from the regular ones, by verb. */
  readonly operationIds?: Readonly<Partial<Record<V, string>>>;
  /** By verb; default: management. */
  readonly surfaces?: Readonly<Partial<Record<V, readonly Surface[]>>>;
}

export const relatedListOf = <P extends Kind, C extends Kind, Q extends ListQuerySchema>(
  parent: P,
  child: C,
  link: RelationLink,
  { query, operationIds = {}, surfaces = {} }: RelatedListOptions<string, Q>,
): TypedList<P, C, Q> => {
  const [singular, parents] = parent.names;
  const [, children] = child.names;
  const [, noun] = nounsOf(child);
  const verb = `list${children}`;
  return {
    parent,
    child,
    link,
    group: `${parents.slice(0, 1).toLowerCase()}${parents.slice(1)}`,
    verb,
    operation: operation('GET', `/${parent.collection}/{id}/${child.collection}`, {
      operationId: operationIds[verb] ?? `list${singular}${children}`,
      summary: `List the ${noun} of ${nounWithArticle(parent)}`,
      permission: rightTo('read', child), // the right to the listed kind, wherever it is listed
      surfaces: surfaces[verb] ?? [SURFACES.management],
      query: query ?? listQuery,
      answer: page(child.schemas.detail),
    }),
  } as unknown as TypedList<P, C, Q>; // all names and schemas come from the two kinds
};

type Groups = Readonly<Record<string, Group>>;
type ListsOf<G extends string, L extends RelatedList> = {
  readonly [Each in L as Each['group'] extends G ? Each['verb'] : never]: Each['operation'];
};
type WithLists<G extends Groups, L extends RelatedList> = {
  readonly [K in keyof G]: G[K] extends Group<infer N, infer O> ? Group<N, O & ListsOf<N, L>> : never;
};

/**
 * Adds each related list to the group of its parent.
 * @throws TypeError if that group does not exist, or already has an operation with the name of the list
 */
export const withRelatedLists = <const G extends Groups, L extends RelatedList>(groups: G, lists: readonly L[]): WithLists<G, L> => {
  const joined: Record<string, Group> = { ...groups };
  for (const { group: name, verb, operation } of lists) {
    const group = joined[name];
    if (!group) throw new TypeError(`the list ${name}.${verb} of a relation requires a group ${name}, which does not exist`);
    if (verb in group.operations) throw new TypeError(`${name}.${verb} is the list of a relation, so the group must not declare it`);
    joined[name] = { ...group, operations: { ...group.operations, [verb]: operation } };
  }
  return joined as WithLists<G, L>; // no group is added or removed
};
