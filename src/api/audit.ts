import * as z from 'zod';
import { data, group, integer, operation, string, timestamp } from './kit/index.ts';
import { shortText } from './shared.ts';
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
    oldest: z.int().nullable().meta({ description: 'Revision of the first record that was verified; null if there was none.' }),
    newest: z.int().nullable().meta({ description: 'Revision of the last record that was verified; null if there was none.' }),
    chainedFrom: z.int().nullable().meta({ description: 'Revision of the first record with a hash; null if there was none.' }),
    next: z.int().nullable().meta({
      description: 'Where to go on, as `from`, if the time of the request did not suffice; null if the whole log was verified.',
    }),
  })
  .meta({ id: 'AuditVerification', description: 'What is wrong with the change log, if anything.' });

export const audit = group('audit', 'Audit', {
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
