import type { Kind } from '../../contract/api/kit/resource.ts';
import type { ChangedKind, ChangedRow } from '../../contract/changes/events.ts';
import type { Row } from '../storage/port.ts';

/** True for hashes, secrets and credentials, which change records and events do not contain. */
export const isUnrecorded = ({ fields }: Pick<Kind, 'fields'>, name: string): boolean =>
  fields[name]?.keep === 'hidden' || fields[name]?.credential === true;

/** A row without its hidden fields and credentials. Written as a loop, because every write calls it twice. */
export const visibleFields = (kind: Pick<Kind, 'fields'>, row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const visible: Record<string, unknown> = {};
  for (const field of Object.keys(row)) if (!isUnrecorded(kind, field)) visible[field] = row[field];
  return visible;
};

/** `visibleFields`, typed by kind. */
export const visibleRow = <K extends ChangedKind>(kind: Kind & { readonly kind: K }, row: Row): ChangedRow<K> =>
  visibleFields(kind, row) as ChangedRow<K>; // `ChangedRow` is generated from the kind
