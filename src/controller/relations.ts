import { ofType, reachedFrom, type Selected, sideOf } from '../access/policies/traversal.ts';
import { selectedBy, selecting } from '../access/roles/membership.ts';
import type { Entry } from '../call/entry.ts';
import { relatedList, type Via } from '../call/resources/related.ts';
import type { AnyRow, RelationLink } from '../contract/api/kit/index.ts';
import { relatedLists } from '../contract/api/relations.ts';
import { equals, has, oneOf, stringField } from '../query/index.ts';

/** Policy types by their names in queries. */
const POLICY_TYPES = { dial: 'Dial', bind: 'Bind' } as const;

/** Parameters that only some lists have. */
interface RelatedQuery {
  readonly policyType?: keyof typeof POLICY_TYPES | undefined;
}

/** Narrows a row that policies can select: its kind has role attributes. */
const selectable = (row: AnyRow): Selected => row as AnyRow & Pick<Selected, 'roleAttributes'>;

/** The predicate for the children of a list, by their link to the parent. */
const viaOf = (link: RelationLink): Via<RelatedQuery> => {
  switch (link.by) {
    case 'reference':
      return (_, { id }) => equals(stringField(link.field), id);
    case 'referenceInSet':
      return (_, { id }) => has(link.field, id);
    case 'idInSet':
      return (_, row) => oneOf(stringField('id'), row[link.field] as readonly string[]); // the field holds a set of ids
    case 'selecting':
      return (_, row) => selecting(link.field, selectable(row));
    case 'selected':
      return (_, policy) => selectedBy([sideOf(policy, link.field)]);
    case 'policies':
      // Service policies can be listed by type.
      return (entities, row, { policyType }) =>
        reachedFrom(entities, link, selectable(row), ofType(policyType && POLICY_TYPES[policyType]));
  }
};

/** Every related list with its handler. */
export const relatedEntries: readonly Entry[] = relatedLists.map((list) => ({
  group: list.group,
  verb: list.verb,
  operation: list.operation,
  handler: relatedList(list.parent, list.child, viaOf(list.link)),
}));
