import { identity } from '../../contract/api/identities.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { ownersOf } from './owners.ts';

/** The credentials that answers show of a kind: names of fields. */
export const credentialsOf = ({ fields }: Pick<Kind, 'fields'>): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.credential);

/**
 * True for a kind whose entities are credentials of identities, such as enrollments: delegated callers do not even see those of identities
 * with more rights.
 */
export const isForSomebody = (kind: Kind): boolean =>
  (kind.isCredential === true || credentialsOf(kind).length > 0) && ownersOf(kind).some(({ target }) => target === identity);
