import type * as z from 'zod';
import type { auditRecord } from '../../contract/api/audit.ts';
import { identity } from '../../contract/api/identities.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { differingFields, type RecordedFields } from '../../store/changelog/differences.ts';
import { changeOf } from '../../store/changelog/log.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';

export type AuditRecord = z.output<typeof auditRecord>;

/** Converts rows of the change log to audit records, with the names of their actors. */
export const auditRecords = async (entities: Entities, rows: readonly Row[]): Promise<readonly AuditRecord[]> => {
  const ids = [...new Set(rows.map(({ actor }) => String(actor)))];
  const actors = ids.length === 0 ? [] : await entities.list(identity, { where: oneOf(stringField('id'), ids) });
  const names = new Map(actors.map(({ id, name }) => [id, name]));
  return rows.map((row) => toAuditRecord(row, names));
};

const toAuditRecord = (row: Row, names: ReadonlyMap<string, string>): AuditRecord => {
  const { revision, at, action, entity, entityId, actor, onBehalfOf, reason, tokenId, requestId, before, after, overriddenTests } =
    changeOf(row);
  // `log.ts` writes these fields, which records of earlier releases lack.
  const { origin = null, operation = null, address = null, hash = null, previousHash = null } = row as unknown as Partial<AuditRecord>;
  return {
    revision,
    at,
    action,
    entity,
    entityId,
    entityName: nameOf(after ?? before),
    actor,
    actorName: names.get(actor) ?? null,
    onBehalfOf: onBehalfOf ?? null,
    reason: reason ?? null,
    tokenId: tokenId ?? null,
    requestId,
    origin,
    operation,
    address,
    overriddenTests: overriddenTests ?? null,
    differences: differencesOf(before ?? {}, after ?? {}),
    previousHash,
    hash,
  };
};

const nameOf = (entity: object | null): string | null => {
  const { name } = (entity ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : null;
};

const differencesOf = (before: RecordedFields, after: RecordedFields): AuditRecord['differences'] =>
  differingFields(before, after).map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }));
