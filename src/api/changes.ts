import * as z from 'zod';
import { readOnly, resource, string } from './kit/index.ts';
import { jsonMap } from './shared.ts';

/**
 * One write of one entity: a row of the change log, written in the same transaction. Its id is the revision, so ordering by id is chronological.
 */
export const change = resource({
  kind: 'change',
  collection: 'changes',
  names: ['Change', 'Changes'],
  about: 'A change record says who wrote which entity when, with its state before and after.',
  fields: {
    revision: readOnly(z.int(), { filter: true }),
    action: readOnly(z.enum(['create', 'update', 'delete']), { filter: true }),
    entity: readOnly(string, { filter: true }),
    entityId: readOnly(string, { filter: true, index: true }),
    /** Id of the identity, the host's name for the actor (`sso:123`), `system`, or `anonymous`. */
    actor: readOnly(string, { filter: true }),
    requestId: readOnly(string, { filter: true }),
    /** On whose behalf the actor acted, in the host's words. */
    onBehalfOf: readOnly(string.nullable()),
    /** Why the actor acted, in the host's words. */
    reason: readOnly(string.nullable()),
    /** Id of the API token with which the actor acted. */
    tokenId: readOnly(string, { absent: true }),
    before: readOnly(jsonMap),
    after: readOnly(jsonMap),
    /** The hash chain, see `changelog/chain.ts`. */
    hash: readOnly(string, { keep: 'hidden' }),
    previousHash: readOnly(string.nullable(), { keep: 'hidden' }),
    /** The extent of the log, see `changelog/log.ts`. */
    endsAt: readOnly(z.number(), { keep: 'hidden' }),
    oldest: readOnly(z.int(), { keep: 'hidden' }),
    oldestBeginsAt: readOnly(z.number(), { keep: 'hidden' }),
  },
});
