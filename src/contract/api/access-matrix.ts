/** Schemas of the access matrix: which identities may dial or bind which services. */
import * as z from 'zod';
import { entityReference, integer, queryText, string, textUpTo, timestamp } from './kit/index.ts';

export const accessReason = z
  .object({
    /** A service policy that selects both. */
    policy: entityReference,
    /** The posture checks that must pass before the policy grants access; only those that the caller may see. */
    postureChecks: z.array(entityReference),
    /**
     * When the policy stops granting this access: at its own end, or when the role attributes through which it selects the identity end.
     */
    validUntil: timestamp.optional(),
  })
  .meta({ id: 'AccessReason', description: 'A reason why an identity may dial or bind a service.' });

/** An identity that may dial or bind a service. */
export const accessEntry = z
  .object({
    /** The identity. */
    identity: entityReference,
    /** The service. */
    service: entityReference,
    /** The type of access. */
    type: z.enum(['Dial', 'Bind']),
    /** The policies that permit the access; only those that the caller may see. Any one of them grants it if its posture checks pass. */
    policies: z.array(accessReason),
    /** When the last of these policies ends; missing if one of them has no end. */
    validUntil: timestamp.optional(),
  })
  .meta({ id: 'AccessEntry' });

/** A page of the access matrix. */
export const accessPage = z
  .object({
    /** The entries, ordered by the names of identity and service, then by type. */
    entries: z.array(accessEntry),
    /** The cursor for the next page; missing on the last one. A page may have fewer than `limit` entries without being the last. */
    next: string.optional(),
  })
  .meta({ id: 'AccessPage' });

/** The cursor of a page. */
/** A cursor contains up to two names of 2,048 bytes. */
export const afterPage = textUpTo(8192).optional().meta({ description: 'The cursor `next` of the previous page.' });

/** Parameters that all lists of access share. */
export const accessQuery = z.object({
  /** The type of access. Default: both. */
  type: z.enum(['Dial', 'Bind']).optional(),
  /** Maximum number of entries to return; default 100, at most 500. */
  limit: integer.optional(),
  after: afterPage,
});

export const matrixQuery = accessQuery.extend({
  identities: queryText.optional().meta({ description: 'The identities to include, as a filter. Default: all.' }),
  services: queryText.optional().meta({ description: 'The services to include, as a filter. Default: all.' }),
});
