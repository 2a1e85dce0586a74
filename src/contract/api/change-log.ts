import * as z from 'zod';
import { auditQuestions } from './audit.ts';
import { overriddenTests } from './changes.ts';
import { group, integer, list, operation, page, string, timestamp } from './kit/index.ts';
import { queryFlag, queryText } from './kit/list-query.ts';
import { shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** A committed write of one entity. */
export const changeRecord = z
  .object({
    revision: z.int().meta({ description: 'Position in the change log: grows by one with every change of the network.' }),
    /** The kind of change of the entity. */
    action: z.enum(['create', 'update', 'delete']),
    entity: string.meta({ description: 'Kind of the entity: `identity`, `apiSession`, ...' }),
    /** Id of the entity. */
    entityId: string,
    actor: string.meta({
      description: "The actor: the id of an identity, the host's own name, `system` for the host's own code, or `anonymous` for a login.",
    }),
    /** Request id, as in the log. */
    requestId: string,
    onBehalfOf: string
      .nullable()
      .meta({ description: 'The person or system on whose behalf the actor made the change, as the host gave it.' }),
    reason: string.nullable().meta({ description: 'The reason for the change, as the caller gave it.' }),
    tokenId: string.optional().meta({ description: 'Id of the API token that the actor used; omitted if none.' }),
    /** When the change was made. */
    at: timestamp,
    overriddenTests: overriddenTests
      .optional()
      .meta({ description: 'The policy tests that the author of the change overrode; omitted if there were none.' }),
    before: z
      .record(string, z.unknown())
      .nullable()
      .meta({ description: 'The entity as stored before, without secrets; null for `create`.' }),
    after: z
      .record(string, z.unknown())
      .nullable()
      .meta({ description: 'The entity as stored after, without secrets; null for `delete`.' }),
  })
  .meta({ id: 'Change' });

/** An entity as it is at the revision of a snapshot. */
export const entityState = z
  .object({
    action: z.literal('exists').meta({ description: 'Distinguishes a state from a change.' }),
    revision: z.int().meta({ description: 'The revision of the snapshot.' }),
    entity: string.meta({ description: 'Kind of the entity: `identity`, `apiSession`, ...' }),
    /** Id of the entity. */
    entityId: string,
    after: z.record(string, z.unknown()).meta({ description: 'The entity as it is stored at that revision, without secrets.' }),
  })
  .meta({ id: 'EntityState' });

/** The end of a snapshot: changes follow. */
export const stateEnd = z
  .object({
    action: z.literal('complete').meta({ description: 'The snapshot is complete: the changes after its revision follow.' }),
    revision: z.int().meta({ description: 'The revision of the snapshot.' }),
  })
  .meta({ id: 'StateEnd' });

/** The events that a follower receives. */
export const followed = z.union([changeRecord, entityState, stateEnd]);

const KINDS = list(shortText, 100).optional().meta({ description: 'Kinds of entities, e.g. `identity`; may be repeated. Default: all.' });

export const changes = group('changes', 'Change log', {
  list: operation('GET', '/changes', {
    operationId: 'listChanges',
    summary: 'List changes, oldest first by default',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      after: integer.optional().meta({ description: 'Only changes after this revision. Default: from the oldest one in the log.' }),
      before: integer
        .optional()
        .meta({ description: 'Only changes before this revision; used to get the next page with the order `newest`.' }),
      kinds: KINDS,
      ...auditQuestions.omit({ kind: true }).shape,
      limit: integer.optional().meta({
        description: 'Maximum number of changes to return; default 10, at most 500. Fewer if they are large; continue after the last one.',
      }),
    }),
    answer: page(changeRecord),
    errors: ['CURSOR_EXPIRED', 'INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  follow: operation('GET', '/changes/follow', {
    operationId: 'followChanges',
    summary: 'Stream changes as they are committed, oldest first; a client that reconnects continues after its `Last-Event-ID`',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      after: integer.optional().meta({ description: 'Only changes after this revision. Default: only future changes.' }),
      kinds: KINDS,
      snapshot: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description:
          'True to receive a snapshot of all entities of these kinds first, and then the changes after the revision of the snapshot.',
      }),
      filter: queryText.optional().meta({
        description:
          'A condition in the filter language on stored fields, which all of the kinds must have. An entity that starts to match is reported as created, one that stops matching as deleted.',
      }),
    }),
    headers: { lastEventId: 'last-event-id' },
    answer: { is: 'events', item: followed },
    errors: ['CURSOR_EXPIRED', 'INVALID_FILTER'],
  }),
});
