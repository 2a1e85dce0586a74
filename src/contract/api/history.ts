import * as z from 'zod';
import { overriddenTests } from './changes.ts';
import { data, group, integer, operation, page, string, timestamp } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** One change of an entity. */
const historyEntry = z
  .object({
    revision: z.int().meta({ description: 'Revision of the change.' }),
    actor: string.meta({ description: 'The actor, as in the change log.' }),
    requestId: string.meta({ description: 'Request id, as in the log.' }),
    onBehalfOf: string
      .nullable()
      .meta({ description: 'The person or system on whose behalf the actor made the change, as the host gave it.' }),
    reason: string.nullable().meta({ description: 'The reason for the change, as the caller gave it.' }),
    at: timestamp.meta({ description: 'When the change was made.' }),
    /** The kind of change. */
    action: z.enum(['create', 'update', 'delete']),
    overriddenTests: overriddenTests.nullable().meta({
      description: 'The policy tests that the transaction broke and the actor overrode; null if none.',
    }),
    changed: z.array(string).meta({ description: 'Names of the stored fields that changed.' }),
    after: z
      .record(string, z.unknown())
      .nullable()
      .meta({ description: 'The entity as stored after the change, without secrets; null for a deletion.' }),
  })
  .meta({ id: 'HistoryEntry' });

/** An entity as it was at a revision. */
const pastEntity = z
  .object({
    revision: z.int().meta({ description: 'The requested revision.' }),
    entity: string.meta({ description: 'Kind of the entity, e.g. `identity`.' }),
    /** Id of the entity. */
    entityId: string,
    state: z.record(string, z.unknown()).meta({ description: 'The entity as it was stored, without secrets.' }),
  })
  .meta({ id: 'PastEntity' });

/** The state to revert to. */
const revertBody = z
  .object({ revision: z.int().min(0).meta({ description: 'A revision that is still in the change log.' }) })
  .meta({ id: 'RevertBody' });

/** The result of a revert. */
const reverted = z
  .object({
    id: string.meta({ description: 'Id of the entity; a new one if the entity had been deleted and was recreated.' }),
    changed: z
      .array(string)
      .meta({ description: 'Names of the fields that were set; empty if nothing differed, in which case nothing was written.' }),
    revision: z.int().meta({ description: 'The last revision of the network after the revert.' }),
  })
  .meta({ id: 'Reverted' });

export const history = group('history', 'History', {
  list: operation('GET', '/history/{kind}/{id}', {
    operationId: 'listHistory',
    summary: 'List the changes of an entity that are still in the change log, newest first',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      before: integer.optional().meta({ description: 'Only changes before this revision. Default: from the newest one.' }),
      limit: integer.optional().meta({
        description: 'Maximum number of changes to return; default 10, at most 500. Fewer if they are large; continue before the last one.',
      }),
    }),
    answer: page(historyEntry),
  }),
  get: operation('GET', '/history/{kind}/{id}/state', {
    operationId: 'detailHistory',
    summary: 'Get an entity as it was at a revision',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      revision: integer.optional().meta({ description: 'A revision that is still in the change log. Default: the last one.' }),
    }),
    answer: data(pastEntity),
    errors: ['CURSOR_EXPIRED'],
  }),
  revert: operation('POST', '/history/{kind}/{id}/revert', {
    operationId: 'revertEntity',
    summary:
      'Revert the fields of an entity to their values at a revision, or recreate it if it was deleted. The revert is an ordinary change, which can be previewed',
    permission: 'change.update',
    acceptedPermissions: [],
    isBatch: true,
    surfaces: [surfaces.extensions],
    body: { schema: revertBody, name: 'revert' },
    answer: data(reverted),
    errors: ['CURSOR_EXPIRED', 'CONFLICT'],
  }),
});
