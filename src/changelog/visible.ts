import type { Kind } from '../api/kit/resource.ts';
import type { Row } from '../storage/port.ts';
import type { ChangedKind, ChangedRow } from './events.ts';

/** True for hashes, secrets and credentials, which change records and events omit. */
export const isUnrecorded = ({ fields }: Pick<Kind, 'fields'>, name: string): boolean =>
  fields[name]?.keep === 'hidden' || fields[name]?.credential === true;

/** A row without its hidden fields and credentials. Every write makes two, so it is a loop. */
export const visibleFields = (kind: Pick<Kind, 'fields'>, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const visible: Record<string, unknown> = {};
  for (const field of Object.keys(row)) if (!isUnrecorded(kind, field)) visible[field] = row[field];
  return visible;
};

/** `visibleFields`, typed by kind. */
export const visibleRow = <K extends ChangedKind>(kind: Kind & { readonly kind: K }, row: Row): ChangedRow<K> =>
  visibleFields(kind, row) as ChangedRow<K>; // `ChangedRow` is generated from the kind
