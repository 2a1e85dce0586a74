import * as z from 'zod';
import { LINES_TYPE } from '../wire/media-types.ts';
import { ORIGINS, overriddenTests } from './changes.ts';
import { data, group, integer, operation, page, queryFlag, queryText, string, timestamp } from './kit/index.ts';
import { dateTime, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const head = z
  .object({
    revision: z.int().meta({ description: 'Revision of the last record.' }),
    hash: string.meta({ description: 'SHA-256 of the last record, in hex. It covers all earlier records.' }),
    /** When the last record was written. */
    at: timestamp,
  })
  .meta({ id: 'AuditHead', description: 'The head of the hash chain. Keep a copy elsewhere, and verify the chain against it later.' });

const fault = z
  .object({
    revision: z.int().meta({ description: 'Revision of the first record that was tampered with.' }),
    fault: z.enum(['changed', 'removed', 'inserted']).meta({ description: 'The kind of tampering.' }),
    message: string.meta({ description: 'The evidence of tampering.' }),
  })
  .meta({ id: 'AuditFault', description: 'A record that was tampered with.' });

const verification = z
  .object({
    isIntact: z.boolean().meta({ description: 'True if all verified records are intact.' }),
    fault: fault.nullable().meta({ description: 'The first record that was changed, removed or inserted; null if there is none.' }),
    records: z.int().meta({ description: 'Number of records that were verified.' }),
    unhashed: z.int().meta({ description: 'Number of verified records without a hash, because an earlier release wrote them.' }),
    unproved: z.int().meta({
      description: 'Number of checkpoints that cannot be verified, because their secret key is no longer configured.',
    }),
    oldest: z.int().nullable().meta({ description: 'Revision of the first record that was verified; null if there was none.' }),
    newest: z.int().nullable().meta({ description: 'Revision of the last record that was verified; null if there was none.' }),
    chainedFrom: z.int().nullable().meta({ description: 'Revision of the first record with a hash; null if there was none.' }),
    next: z.int().nullable().meta({
      description:
        'The revision to continue from, as `from`, if the time limit of the request was reached; null if the whole log was verified.',
    }),
  })
  .meta({ id: 'AuditVerification', description: 'The result of a verification of the change log.' });

const difference = z
  .object({
    field: string.meta({ description: 'Name of the field.' }),
    before: z.unknown().meta({ description: 'The value before the change; null if the field was not set.' }),
    after: z.unknown().meta({ description: 'The value after the change; null if the field was removed.' }),
  })
  .meta({ id: 'FieldDifference', description: 'A field that a change has set, changed or removed.' });

export const auditRecord = z
  .object({
    revision: z.int().meta({ description: 'Position in the change log.' }),
    /** When the change was made. */
    at: timestamp,
    /** The kind of change; `create` for a security event. */
    action: z.enum(['create', 'update', 'delete']),
    entity: string.meta({ description: 'Kind of the entity: `identity`, ...; `securityEvent` for an attempt that was refused.' }),
    /** Id of the entity. */
    entityId: string,
    entityName: string.nullable().meta({ description: 'Name of the entity at that time; null for kinds without names.' }),
    actor: string.meta({ description: "The actor: the id of an identity, the host's own name, `system`, or `anonymous` for a login." }),
    actorName: string
      .nullable()
      .meta({ description: 'Current name of that identity; null if it does not exist, or if the actor was not an identity.' }),
    onBehalfOf: string
      .nullable()
      .meta({ description: 'The person or system on whose behalf the actor made the change, as the host gave it.' }),
    reason: string
      .nullable()
      .meta({ description: 'The reason: the header `x-change-reason`, or the option `reason` of a call in process.' }),
    tokenId: string.nullable().meta({ description: 'Id of the API token that the actor used; null if none.' }),
    /** Request id, as in the log. */
    requestId: string,
    origin: z
      .enum(ORIGINS)
      .nullable()
      .meta({ description: 'The origin of the call. This field and the next two are null in records of earlier releases.' }),
    operation: string
      .nullable()
      .meta({ description: 'The operation, e.g. `identities.patch`; null for background work of the controller.' }),
    address: string.nullable().meta({ description: 'Address of the client; null for a call in process.' }),
    overriddenTests: overriddenTests.nullable().meta({
      description: 'The policy tests that the transaction broke and the actor overrode; null if none.',
    }),
    differences: z.array(difference).meta({ description: 'The fields that were set, changed or removed, without secrets.' }),
    previousHash: string
      .nullable()
      .meta({ description: 'Hash of the previous record; null if there is none, or if an earlier release wrote it.' }),
    hash: string.nullable().meta({ description: 'SHA-256 of the record, in hex; null if an earlier release wrote it.' }),
  })
  .meta({ id: 'AuditRecord', description: 'A record of the change log, as auditors read it.' });

/** The conditions that select records. */
export const auditQuestions = z.object({
  actor: shortText.optional().meta({ description: 'The actor: the id of an identity, or another name, such as `system`.' }),
  onBehalfOf: shortText.optional().meta({ description: 'The person or system on whose behalf the actor made the change.' }),
  kind: shortText.optional().meta({ description: 'Kind of the entity, e.g. `identity`.' }),
  entityId: shortText.optional().meta({ description: 'Id of the entity.' }),
  field: shortText
    .optional()
    .meta({ description: 'Name of a field that was set, changed or removed. Earlier releases did not record it.' }),
  operation: shortText.optional().meta({ description: 'The operation, e.g. `identities.patch`.' }),
  from: dateTime.optional().meta({ description: 'Only records at or after this time (RFC 3339).' }),
  to: dateTime.optional().meta({ description: 'Only records before this time (RFC 3339).' }),
  order: z.enum(['newest', 'oldest']).optional().meta({ description: 'The order of the records.' }),
  filter: queryText.optional().meta({ description: 'A condition in the filter language.' }),
});

export const audit = group('audit', 'Audit', {
  list: operation('GET', '/audit', {
    operationId: 'listAudit',
    summary: 'List the records of the change log, newest first: who did what to which entity, from where and why',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: auditQuestions.extend({
      limit: integer
        .optional()
        .meta({ description: 'Maximum number of records to return; default 10, at most 500. Fewer if they are large.' }),
      offset: integer.optional().meta({ description: 'Number of records to skip; at most 100000.' }),
    }),
    answer: page(auditRecord),
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  export: operation('GET', '/audit/export', {
    operationId: 'exportAudit',
    summary:
      'Export the matching records of the change log, oldest first, one JSON object per line; with `follow`, also records written later',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: auditQuestions.extend({
      after: integer.optional().meta({ description: 'Only records after this revision.' }),
      follow: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description: 'True to continue with records as they are written, until the client disconnects. Requires the order `oldest`.',
      }),
    }),
    answer: { is: 'response', contentTypes: [LINES_TYPE] },
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  head: operation('GET', '/audit/head', {
    operationId: 'getAuditHead',
    summary: 'Get the head of the hash chain: the revision and hash of the last record of the change log',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    answer: data(head),
  }),
  verify: operation('GET', '/audit/verify', {
    operationId: 'verifyAudit',
    summary: 'Verify the hash chain of the change log, and report the first record that was changed, removed or inserted',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      from: integer.optional().meta({ description: 'Revision of the first record to verify. Default: the oldest one in the log.' }),
      revision: integer.optional().meta({ description: 'Revision of a head that was saved earlier. Requires `hash`.' }),
      hash: shortText.optional().meta({ description: 'Hash of that head, which the record must still have.' }),
    }),
    answer: data(verification),
  }),
});
