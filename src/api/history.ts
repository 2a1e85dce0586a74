import * as z from 'zod';
import { overriddenTests } from './changes.ts';
import { data, group, integer, operation, page, string, timestamp } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** One change of an entity. */
const historyEntry = z
  .object({
    revision: z.int().meta({ description: 'Revision of the change.' }),
    actor: string.meta({ description: 'Who did it, as in the change log.' }),
    requestId: string.meta({ description: 'Request id, as in the log.' }),
    onBehalfOf: string.nullable().meta({ description: "For whom the actor did it, in the host's words." }),
    reason: string.nullable().meta({ description: 'Why, in the words of the caller.' }),
    at: timestamp.meta({ description: 'When it was done.' }),
    /** What was done to the entity. */
    action: z.enum(['create', 'update', 'delete']),
    overriddenTests: overriddenTests.nullable().meta({
      description: 'The policy tests that the write, or another one in its transaction, broke, and that the actor overrode; null if none.',
    }),
    changed: z.array(string).meta({ description: 'Names of the stored fields that it changed.' }),
    after: z
      .record(string, z.unknown())
      .nullable()
      .meta({ description: 'The entity as it was stored since then, without secrets; null after a deletion.' }),
  })
  .meta({ id: 'HistoryEntry' });

/** An entity as it was at a revision. */
const pastEntity = z
  .object({
    revision: z.int().meta({ description: 'The revision that was asked for.' }),
    entity: string.meta({ description: 'Kind of the entity, e.g. `identity`.' }),
    /** Id of the entity. */
    entityId: string,
    state: z.record(string, z.unknown()).meta({ description: 'The entity as it was stored, without secrets.' }),
  })
  .meta({ id: 'PastEntity' });

/** The state to revert to. */
const revertBody = z
  .object({ revision: z.int().min(0).meta({ description: 'A revision that the change log still has.' }) })
  .meta({ id: 'RevertBody' });

/** What a revert did. */
const reverted = z
  .object({
    id: string.meta({ description: 'Id of the entity: a new one if the entity had been deleted, and was made again.' }),
    changed: z
      .array(string)
      .meta({ description: 'Names of the fields that were set; empty if nothing differed, and nothing was written.' }),
    revision: z.int().meta({ description: 'The last revision of the network after the revert.' }),
  })
  .meta({ id: 'Reverted' });

export const history = group('history', 'History', {
  list: operation('GET', '/history/{kind}/{id}', {
    operationId: 'listHistory',
    summary: 'List the changes of an entity that the change log still has, newest first',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      before: integer.optional().meta({ description: 'A revision: the changes before it. Default: the newest ones.' }),
      limit: integer.optional().meta({
        description: 'Changes to return at most; default 10, at most 500. Fewer where they are large: go on before the last one.',
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
      revision: integer.optional().meta({ description: 'A revision that the change log still has. Default: the last one.' }),
    }),
    answer: data(pastEntity),
    errors: ['CURSOR_EXPIRED'],
  }),
  revert: operation('POST', '/history/{kind}/{id}/revert', {
    operationId: 'revertEntity',
    summary:
      'Set the fields of an entity to what they were at a revision, or make it again if it was deleted; an ordinary change, which can be previewed',
    permission: 'change.update',
    grantable: false,
    isBatch: true,
    surfaces: [surfaces.extensions],
    body: { schema: revertBody, name: 'revert' },
    answer: data(reverted),
    errors: ['CURSOR_EXPIRED', 'CONFLICT'],
  }),
});
