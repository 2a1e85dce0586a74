import type { Reference } from './field.ts';
import {
  type ListQuerySchema,
  type PolicyPath,
  type RelatedListOptions,
  relatedListOf,
  type TypedList,
  type VerbOf,
} from './related-list.ts';
import type { Kind } from './resource.ts';
import { roleArrayOf } from './roles.ts';

/**
 * A relation between two kinds is declared once, as a row of `src/contract/api/relations.ts`. The related lists in both directions, their
 * operations and their handlers are derived from it.
 */

type OneWay<P extends Kind, C extends Kind, Q extends ListQuerySchema> = readonly [TypedList<P, C, Q>];
type BothWays<A extends Kind, B extends Kind, Q extends ListQuerySchema> = readonly [TypedList<A, B, Q>, TypedList<B, A, Q>];

/** Names of the fields of a kind whose declaration matches `Declared`. */
type FieldMatching<K extends Kind, Declared> = {
  [N in keyof K['fields'] & string]: K['fields'][N] extends Declared ? N : never;
}[keyof K['fields'] & string];
type ReferenceOf<K extends Kind> = FieldMatching<K, { readonly reference: Reference }>;
type SetOf<K extends Kind> = FieldMatching<K, { readonly set: object }>;
type SelectorsOf<K extends Kind> = FieldMatching<K, { readonly set: { readonly of: 'selectors' } }>;

/**
 * Each entity of `many` refers to one of `one` in `field`. Only `one` gets a list: in the other direction, there is a single entity, to
 * which answers contain a reference.
 */
export const manyToOne = <M extends Kind, O extends Kind, Q extends ListQuerySchema = ListQuerySchema>(
  many: M,
  field: ReferenceOf<M>,
  one: O,
  options: RelatedListOptions<VerbOf<M>, Q> = {},
): OneWay<O, M, Q> => {
  requireTarget(many, field, one, 'reference');
  return [relatedListOf(one, many, { by: 'reference', field }, options)];
};

/** The set `field` of each of `holders` contains ids of `others`. */
export const manyToMany = <H extends Kind, O extends Kind, Q extends ListQuerySchema = ListQuerySchema>(
  holders: H,
  field: SetOf<H>,
  others: O,
  options: RelatedListOptions<VerbOf<H> | VerbOf<O>, Q> = {},
): BothWays<H, O, Q> => {
  requireTarget(holders, field, others, 'references');
  return [
    relatedListOf(holders, others, { by: 'idInSet', field }, options),
    relatedListOf(others, holders, { by: 'referenceInSet', field }, options),
  ];
};

/** The role array `field` of each of `policies` selects `others`. */
export const selectsByRole = <P extends Kind, O extends Kind, Q extends ListQuerySchema = ListQuerySchema>(
  policies: P,
  field: SelectorsOf<P>,
  others: O,
  options: RelatedListOptions<VerbOf<P> | VerbOf<O>, Q> = {},
): BothWays<P, O, Q> => {
  requireTarget(policies, field, others, 'selectors');
  return [
    relatedListOf(policies, others, { by: 'selected', field }, options),
    relatedListOf(others, policies, { by: 'selecting', field }, options),
  ];
};

/** Entities of the two kinds are related if one of `policies` selects both. */
export const through = <A extends Kind, B extends Kind, Q extends ListQuerySchema = ListQuerySchema>(
  one: A,
  policies: Kind,
  other: B,
  options: RelatedListOptions<VerbOf<A> | VerbOf<B>, Q> = {},
): BothWays<A, B, Q> => [
  relatedListOf(one, other, { by: 'policies', ...policyPath(policies, one, other) }, options),
  relatedListOf(other, one, { by: 'policies', ...policyPath(policies, other, one) }, options),
];

/** @throws TypeError if the policies have no role array for one of the kinds */
export const policyPath = (policies: Kind, from: Kind, to: Kind): PolicyPath => ({
  policies,
  from: roleArrayOf(policies, from),
  to: roleArrayOf(policies, to),
});

const FORMS = { reference: 'a reference', references: 'a set of ids', selectors: 'a role array' } as const;

/** @throws TypeError if the field does not have this form, or does not refer to the kind `target` */
const requireTarget = (kind: Kind, field: string, target: Kind, form: keyof typeof FORMS): void => {
  const { reference, set } = kind.fields[field] ?? {};
  const found = form === 'reference' ? reference : set?.of === form ? set : undefined;
  if (found?.target !== target.kind) throw new TypeError(`${kind.kind}.${field} is not ${FORMS[form]} of the kind ${target.kind}`);
};
