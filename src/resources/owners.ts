import type { Kind } from '../api/kit/resource.ts';
import { kindOf } from './kinds.ts';

/** The owner of the entities of a kind: they are deleted with it, and subject to the limits on it. */
export interface Owner {
  /** The field that has the id of the owner. */
  readonly field: string;
  readonly target: Kind;
  /** A field, and its value if there is this owner. Default: wherever `field` is set. */
  readonly while?: readonly [field: string, value: string];
}

const known = new WeakMap<Kind, readonly Owner[]>();

/**
 * The owners of a kind, found in its table: references that cascade from kinds that belong to no other. An API session belongs to its identity, not to the
 * authenticator of its login. The first owner that an entity has is whom it is for.
 */
export const ownersOf = (kind: Kind): readonly Owner[] => {
  let owners = known.get(kind);
  if (!owners) known.set(kind, (owners = [...referencesOf(kind).filter(({ target }) => referencesOf(target).length === 0), ...byId(kind)]));
  return owners;
};

const referencesOf = ({ fields }: Kind): readonly Owner[] =>
  Object.entries(fields).flatMap(([field, { keep, reference }]) => {
    const target = keep === 'stored' && reference?.onDelete === 'cascade' ? kindOf(reference.target) : undefined;
    return target ? [{ field, target }] : [];
  });

const byId = ({ idOf }: Kind): readonly Owner[] => {
  const target = idOf && kindOf(idOf.kind);
  return target ? [{ field: 'id', target, while: idOf.while }] : [];
};

/** The id of an owner in a row; undefined if it has none of that kind. */
export const ownerIn = (row: Readonly<Record<string, unknown>>, { field, while: condition }: Owner): string | undefined => {
  const id = condition && row[condition[0]] !== condition[1] ? undefined : row[field];
  return typeof id === 'string' ? id : undefined;
};
