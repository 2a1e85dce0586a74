import type { identity } from '../api/identities.ts';
import type { RowOf } from '../api/kit/resource.ts';
import { booleanField, equals, or, type Predicate } from '../query/index.ts';

/** Identities that are administrators. */
export const ADMINISTRATORS: Predicate = or(equals(booleanField('isAdmin'), true), equals(booleanField('isDefaultAdmin'), true));

/** The same of one identity. */
export const hasAdministratorRights = ({ isAdmin, isDefaultAdmin }: Pick<RowOf<typeof identity>, 'isAdmin' | 'isDefaultAdmin'>): boolean =>
  isAdmin || isDefaultAdmin;
