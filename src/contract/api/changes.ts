import * as z from 'zod';
import { readOnly, resource, string } from './kit/index.ts';
import { jsonMap } from './shared.ts';

export const overriddenTests = z
  .object({
    count: z.int().meta({ description: 'Number of overridden tests.' }),
    tests: z
      .array(z.object({ id: string.meta({ description: 'Id of the test.' }), name: string.meta({ description: 'Name of the test.' }) }))
      .readonly()
      .meta({ description: 'The first of these tests, ordered by name.' }),
  })
  .meta({ id: 'OverriddenTests', description: 'The policy tests that a write broke and its author overrode.' });
export type OverriddenTests = z.output<typeof overriddenTests>;

/** The origin of a write: an HTTP request, a call in process, an apply of a state document, or background work of the controller. */
export const ORIGINS = ['http', 'facade', 'apply', 'system'] as const;

/** The fields of `Reserve` in `changelog/trim.ts`, in its order: they are hashed. */
const reserve = z.object({
  first: z.int(),
  since: z.string(),
  passed: z.int(),
  count: z.int(),
  bytes: z.number(),
  base: z.string(),
  head: z.string(),
});

/**
 * One write of one entity: a row of the change log, written in the same transaction. Its id is the revision, so ordering by id is
 * chronological.
 */
export const change = resource({
  kind: 'change',
  collection: 'changes',
  names: ['Change', 'Changes'],
  about: 'A change record states who changed which entity and when, with the state of the entity before and after.',
  fields: {
    revision: readOnly(z.int(), { filter: true }),
    action: readOnly(z.enum(['create', 'update', 'delete']), { filter: true }),
    entity: readOnly(string, { filter: true }),
    entityId: readOnly(string, { filter: true, index: true }),
    /** Id of the identity, the host's name for the actor (`sso:123`), `system`, or `anonymous`. */
    actor: readOnly(string, { filter: true }),
    requestId: readOnly(string, { filter: true }),
    /** The person or system on whose behalf the actor acted, as the host gave it. */
    onBehalfOf: readOnly(string.nullable(), { filter: true }),
    /** The reason for the change, as the caller gave it. */
    reason: readOnly(string.nullable()),
    /** Id of the API token that the actor used. */
    tokenId: readOnly(string, { absent: true }),
    /** The origin of the call. This field and the next three are absent in records of earlier releases. */
    origin: readOnly(z.enum(ORIGINS), { filter: true, absent: true }),
    /** The operation, e.g. `identities.patch`; null for background work of the controller. */
    operation: readOnly(string.nullable(), { filter: true, absent: true }),
    /** The address of the client; null for a call in process. */
    address: readOnly(string.nullable(), { filter: true, absent: true }),
    /** The names of the changed fields, each between two commas: `,name,roleAttributes,`. */
    changedFields: readOnly(string, { keep: 'hidden', filter: true }),
    /** Present if the write broke policy tests, which its author overrode. */
    overriddenTests: readOnly(overriddenTests, { absent: true }),
    before: readOnly(jsonMap),
    after: readOnly(jsonMap),
    /** The hash chain, see `changelog/chain.ts`. */
    hash: readOnly(string, { keep: 'hidden' }),
    previousHash: readOnly(string.nullable(), { keep: 'hidden' }),
    /** The extent of the log, see `changelog/log.ts`. */
    endsAt: readOnly(z.number(), { keep: 'hidden' }),
    oldest: readOnly(z.int(), { keep: 'hidden' }),
    oldestBeginsAt: readOnly(z.number(), { keep: 'hidden' }),
    others: readOnly(z.int(), { keep: 'hidden' }),
    /** The records that are kept when others are dropped, see `changelog/trim.ts`. */
    reserve: readOnly(reserve, { keep: 'hidden' }),
    isReserved: readOnly(z.boolean(), { keep: 'hidden' }),
  },
});
