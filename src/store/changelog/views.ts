import type { Kind } from '../../contract/api/kit/resource.ts';
import { and, booleanField, equals, type Predicate } from '../../query/index.ts';

/** The storage of a kind: in a table of its own, or as a view, which consists of some rows of another kind's table. */
type Stored = Pick<Kind, 'kind' | 'view'>;

export const tableOf = ({ kind, view }: Stored): string => view?.of ?? kind;

/** The predicate, restricted to rows of this kind. */
export const inView = ({ view }: Stored, where: Predicate): Predicate =>
  view ? and(equals(booleanField(view.where), true), where) : where;

export const isInView = ({ view }: Stored, row: Readonly<Record<string, unknown>>): boolean => !view || row[view.where] === true;
