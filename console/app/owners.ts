/** Names of the identities that entities without a name belong to, such as API sessions, enrollments and authenticators. */
import type { AuditRecord } from '../../client/index.ts';
import { readNames } from './names.ts';
import { texts } from './texts.ts';

/** The fields of a recorded entity. */
type Row = Readonly<Record<string, unknown>>;

export const ownerIn = ({ name, identityId }: Row): string | undefined =>
  typeof name !== 'string' && typeof identityId === 'string' ? identityId : undefined;

/** The owner in a record of the audit. Only records of creations and deletions contain it. */
const ownerOf = ({ entityName, differences }: AuditRecord): string | undefined => {
  const { after, before } = differences.find(({ field }) => field === 'identityId') ?? {};
  return ownerIn({ name: entityName, identityId: after ?? before });
};

export type Names = ReadonlyMap<string, string>;

/** Reads the names of the owners in records of the audit. */
export const readOwners = (records: readonly AuditRecord[], signal: AbortSignal): Promise<Names> =>
  readNames(
    'identities',
    records.flatMap((record) => ownerOf(record) ?? []),
    signal,
  );

/** The name of the entity of a record, whose entity it is, or its id. */
export const titleOfRecord = (record: AuditRecord, owners: Names): string => {
  const owner = owners.get(ownerOf(record) ?? '');
  return record.entityName ?? (owner === undefined ? record.entityId : texts.ofOwner(owner));
};
