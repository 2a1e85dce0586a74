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
    /** What was done to the entity. */
    action: z.enum(['create', 'update', 'delete']),
    entity: string.meta({ description: 'Kind of the entity: `identity`, `apiSession`, ...' }),
    /** Id of the entity. */
    entityId: string,
    actor: string.meta({
      description:
        "Id of the identity that did it, the host's own name for who did it, `system` for the host's own code, `anonymous` for a login.",
    }),
    /** Request id, as in the log. */
    requestId: string,
    onBehalfOf: string.nullable().meta({ description: "For whom the actor did it, in the host's words." }),
    reason: string.nullable().meta({ description: "Why, in the host's words." }),
    tokenId: string.optional().meta({ description: 'Id of the API token with which the actor did it; omitted if there was none.' }),
    /** When it was done. */
    at: timestamp,
    overriddenTests: overriddenTests
      .optional()
      .meta({ description: 'The policy tests that its author overrode; omitted if there were none.' }),
    before: z.record(string, z.unknown()).nullable().meta({ description: 'The entity as it was stored before, without secrets.' }),
    after: z.record(string, z.unknown()).nullable().meta({ description: 'The entity as it is stored since then, without secrets.' }),
  })
  .meta({ id: 'Change' });

/** An entity as it is at the revision of a snapshot. */
export const entityState = z
  .object({
    action: z.literal('exists').meta({ description: 'Tells a state from a change.' }),
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

/** What a follower receives. */
export const followed = z.union([changeRecord, entityState, stateEnd]);

const KINDS = list(shortText, 100).optional().meta({ description: 'Kinds of entities, e.g. `identity`; may be repeated. Default: all.' });

export const changes = group('changes', 'Change log', {
  list: operation('GET', '/changes', {
    operationId: 'listChanges',
    summary: 'List changes, oldest first unless asked for otherwise',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      after: integer
        .optional()
        .meta({ description: 'A revision: the changes that come after it. Default: from the oldest one that is kept.' }),
      before: integer
        .optional()
        .meta({ description: 'A revision: the changes that come before it, for the next page with the order `newest`.' }),
      kinds: KINDS,
      ...auditQuestions.omit({ kind: true }).shape,
      limit: integer
        .optional()
        .meta({ description: 'Changes to return at most; default 10, at most 500. Fewer where they are large: go on after the last one.' }),
    }),
    answer: page(changeRecord),
    errors: ['CURSOR_EXPIRED', 'INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
  }),
  follow: operation('GET', '/changes/follow', {
    operationId: 'followChanges',
    summary: 'Follow changes as they are committed, oldest first; a client that was cut off continues after its `Last-Event-ID`',
    permission: 'change.read',
    surfaces: [surfaces.extensions],
    query: z.object({
      after: integer.optional().meta({ description: 'A revision: the changes that come after it. Default: those that come from now on.' }),
      kinds: KINDS,
      snapshot: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description: 'True to get all entities of these kinds first, as of one revision, and then the changes after it.',
      }),
      filter: queryText.optional().meta({
        description:
          'A condition in the filter language on stored fields of the entities, which all of the kinds must have. An entity that comes to satisfy it counts as created, one that ceases to as deleted.',
      }),
    }),
    headers: { lastEventId: 'last-event-id' },
    answer: { is: 'events', item: followed },
    errors: ['CURSOR_EXPIRED', 'INVALID_FILTER'],
  }),
});
