import * as z from 'zod';
import { LINES_TYPE } from '../wire/media-types.ts';
import { ORIGINS, overriddenTests } from './changes.ts';
import { data, group, integer, operation, page, queryFlag, queryText, string, timestamp } from './kit/index.ts';
import { dateTime, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const head = z
  .object({
    revision: z.int().meta({ description: 'Revision of the last record.' }),
    hash: string.meta({ description: 'SHA-256 of the last record, in hex. It covers all records before.' }),
    /** When the last record was written. */
    at: timestamp,
  })
  .meta({ id: 'AuditHead', description: 'The end of the hash chain, to keep elsewhere.' });

const fault = z
  .object({
    revision: z.int().meta({ description: 'Revision of the first record that is not as it was written.' }),
    fault: z.enum(['changed', 'removed', 'inserted']).meta({ description: 'What was done to the record.' }),
    message: string.meta({ description: 'What shows it.' }),
  })
  .meta({ id: 'AuditFault', description: 'A record that is not as it was written.' });

const verification = z
  .object({
    isIntact: z.boolean().meta({ description: 'True if nothing is wrong with the records that were verified.' }),
    fault: fault.nullable().meta({ description: 'The first record that was changed, removed or inserted; null if there is none.' }),
    records: z.int().meta({ description: 'Number of records that were verified.' }),
    unhashed: z.int().meta({ description: 'How many of them have no hash, because an earlier release wrote them.' }),
    unproved: z.int().meta({
      description: 'Number of checkpoints that cannot be verified, because their secret key is no longer configured.',
    }),
    oldest: z.int().nullable().meta({ description: 'Revision of the first record that was verified; null if there was none.' }),
    newest: z.int().nullable().meta({ description: 'Revision of the last record that was verified; null if there was none.' }),
    chainedFrom: z.int().nullable().meta({ description: 'Revision of the first record with a hash; null if there was none.' }),
    next: z.int().nullable().meta({
      description: 'Where to go on, as `from`, if the time of the request did not suffice; null if the whole log was verified.',
    }),
  })
  .meta({ id: 'AuditVerification', description: 'What is wrong with the change log, if anything.' });

const difference = z
  .object({
    field: string.meta({ description: 'Name of the field.' }),
    before: z.unknown().meta({ description: 'Its value before; null if there was none.' }),
    after: z.unknown().meta({ description: 'Its value since then; null if there is none.' }),
  })
  .meta({ id: 'FieldDifference', description: 'A field that a change has set, changed or removed.' });

export const auditRecord = z
  .object({
    revision: z.int().meta({ description: 'Position in the change log.' }),
    /** When it was done. */
    at: timestamp,
    /** What was done to the entity; a security event is created. */
    action: z.enum(['create', 'update', 'delete']),
    entity: string.meta({ description: 'Kind of the entity: `identity`, ...; `securityEvent` for an attempt that was refused.' }),
    /** Id of the entity. */
    entityId: string,
    entityName: string.nullable().meta({ description: 'Name of the entity at that time; null for kinds without names.' }),
    actor: string.meta({ description: "Id of the identity that did it, the host's own name, `system`, or `anonymous` for a login." }),
    actorName: string.nullable().meta({ description: 'Name of that identity now; null if it does not exist, or was none.' }),
    onBehalfOf: string.nullable().meta({ description: "For whom the actor did it, in the host's words." }),
    reason: string.nullable().meta({ description: 'Why: the header `x-change-reason`, or the option `reason` of a call in process.' }),
    tokenId: string.nullable().meta({ description: 'Id of the API token with which the actor did it.' }),
    /** Request id, as in the log. */
    requestId: string,
    origin: z
      .enum(ORIGINS)
      .nullable()
      .meta({ description: 'Where the call came from; null in records of earlier releases, as are the next two.' }),
    operation: string.nullable().meta({ description: 'The operation, e.g. `identities.patch`; null for work of the controller.' }),
    address: string.nullable().meta({ description: 'Address of the client; null for a call in process.' }),
    overriddenTests: overriddenTests.nullable().meta({
      description: 'The policy tests that the write, or another one in its transaction, broke, and that the actor overrode; null if none.',
    }),
    differences: z.array(difference).meta({ description: 'The fields that were set, changed or removed, without secrets.' }),
    previousHash: string
      .nullable()
      .meta({ description: 'Hash of the record before; null if there was none, or an earlier release wrote it.' }),
    hash: string.nullable().meta({ description: 'SHA-256 of the record, in hex; null if an earlier release wrote it.' }),
  })
  .meta({ id: 'AuditRecord', description: 'A record of the change log, as auditors read it.' });

/** The questions that select records. */
export const auditQuestions = z.object({
  actor: shortText.optional().meta({ description: 'Id of an identity, or another name of an actor.' }),
  onBehalfOf: shortText.optional().meta({ description: 'For whom the actor did it.' }),
  kind: shortText.optional().meta({ description: 'Kind of the entity, e.g. `identity`.' }),
  entityId: shortText.optional().meta({ description: 'Id of the entity.' }),
  field: shortText
    .optional()
    .meta({ description: 'Name of a field that was set, changed or removed. Earlier releases did not record it.' }),
  operation: shortText.optional().meta({ description: 'The operation, e.g. `identities.patch`.' }),
  from: dateTime.optional().meta({ description: 'Records since this time (RFC 3339), inclusive.' }),
  to: dateTime.optional().meta({ description: 'Records before this time (RFC 3339).' }),
  order: z.enum(['newest', 'oldest']).optional().meta({ description: 'Which records come first.' }),
  filter: queryText.optional().meta({ description: 'A condition in the filter language.' }),
});

export const audit = group('audit', 'Audit', {
  list: operation('GET', '/audit', {
    operationId: 'listAudit',
    summary: 'List the records of the change log, newest first: who did what to which entity, from where and why',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: auditQuestions.extend({
      limit: integer.optional().meta({ description: 'Records to return at most; default 10, at most 500. Fewer where they are large.' }),
      offset: integer.optional().meta({ description: 'Records to pass over; at most 100000.' }),
    }),
    answer: page(auditRecord),
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  export: operation('GET', '/audit/export', {
    operationId: 'exportAudit',
    summary:
      'The records of the change log that answer the questions, oldest first, one JSON object per line; with `follow` also those to come',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: auditQuestions.extend({
      after: integer.optional().meta({ description: 'A revision: the records that come after it.' }),
      follow: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description: 'Continues with records as they are written, until the client disconnects; only for the order `oldest`.',
      }),
    }),
    answer: { is: 'response', contentTypes: [LINES_TYPE] },
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  head: operation('GET', '/audit/head', {
    operationId: 'getAuditHead',
    summary: 'The last record of the change log and its hash, to keep elsewhere',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    answer: data(head),
  }),
  verify: operation('GET', '/audit/verify', {
    operationId: 'verifyAudit',
    summary: 'Verify the hash chain of the change log: names the first record that was changed, removed or inserted',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      from: integer.optional().meta({ description: 'Revision of the first record to verify. Default: the oldest one that is kept.' }),
      revision: integer.optional().meta({ description: 'Revision of a head that was kept elsewhere; needs `hash`.' }),
      hash: shortText.optional().meta({ description: 'The hash of that head: the record must still have it.' }),
    }),
    answer: data(verification),
  }),
});
