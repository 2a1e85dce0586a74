import type { Kind } from '../../contract/api/kit/resource.ts';
import { kindOf } from './kinds.ts';

/** A kind that owns the entities of another kind: they are deleted with their owner, and the limits on the owner apply to them. */
export interface Owner {
  /** The field with the id of the owner. */
  readonly field: string;
  readonly target: Kind;
  /** The entity has this owner only while a field has the given value. Default: while `field` is set. */
  readonly while?: readonly [field: string, value: string];
}

const cache = new WeakMap<Kind, readonly Owner[]>();

/**
 * The owners of a kind, according to its field table: the targets of its cascading references, except those that have owners themselves. So
 * the owner of an API session is its identity, not the authenticator of its login. If an entity has several owners, the first one counts.
 */
export const ownersOf = (kind: Kind): readonly Owner[] => {
  let owners = cache.get(kind);
  if (!owners) cache.set(kind, (owners = [...referencesOf(kind).filter(({ target }) => referencesOf(target).length === 0), ...byId(kind)]));
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

/** The id of the owner of a row; undefined if the row does not have this kind of owner. */
export const ownerIn = (row: Readonly<Record<string, unknown>>, { field, while: condition }: Owner): string | undefined => {
  const id = condition && row[condition[0]] !== condition[1] ? undefined : row[field];
  return typeof id === 'string' ? id : undefined;
};
