import type { Kind } from '../api/kit/resource.ts';
import { and, booleanField, equals, type Predicate } from '../query/index.ts';

/** A kind in the store: its own table, or those rows of another kind's that are of this kind, too. */
type Stored = Pick<Kind, 'kind' | 'view'>;

export const tableOf = ({ kind, view }: Stored): string => view?.of ?? kind;

/** The question, of rows of this kind only. */
export const inView = ({ view }: Stored, where: Predicate): Predicate =>
  view ? and(equals(booleanField(view.where), true), where) : where;

export const isInView = ({ view }: Stored, row: Readonly<Record<string, unknown>>): boolean => !view || row[view.where] === true;
