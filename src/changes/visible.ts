import type { Kind } from '../api/kit/resource.ts';
import type { Row } from '../storage/port.ts';
import type { ChangedKind, ChangedRow } from './events.ts';

/** A row without its hidden fields: hashes and secrets. */
export const visibleFields = (kind: Kind, row: Row): Readonly<Record<string, unknown>> => {
  const visible: Record<string, unknown> = {};
  for (const field of Object.keys(row)) if (kind.fields[field]?.keep !== 'hidden') visible[field] = row[field];
  return visible;
};

/** `visibleFields`, typed by kind. */
export const visibleRow = <K extends ChangedKind>(kind: Kind & { readonly kind: K }, row: Row): ChangedRow<K> =>
  visibleFields(kind, row) as ChangedRow<K>; // what `ChangedRow` says of the kind
