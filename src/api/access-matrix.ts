/** Who may reach what: the answers of the operations that list it. */
import * as z from 'zod';
import { entityReference, integer, queryText, string, timestamp } from './kit/index.ts';
import { shortText } from './shared.ts';

export const accessReason = z
  .object({
    /** A service policy that selects both. */
    policy: entityReference,
    /** The posture checks that must pass for it to grant the access; those that the caller may see. */
    postureChecks: z.array(entityReference),
    /** When it stops to grant the access: its own end, or that of the role attributes by which it selects the identity. */
    validUntil: timestamp.optional(),
  })
  .meta({ id: 'AccessReason', description: 'Why an identity may dial or bind a service.' });

/** An identity that may dial or bind a service. */
export const accessEntry = z
  .object({
    /** The identity. */
    identity: entityReference,
    /** The service. */
    service: entityReference,
    /** The type of access. */
    type: z.enum(['Dial', 'Bind']),
    /** The policies that permit it; those that the caller may see. Any one whose posture checks pass grants it. */
    policies: z.array(accessReason),
    /** When the last of them ends, if all do. */
    validUntil: timestamp.optional(),
  })
  .meta({ id: 'AccessEntry' });

/** A page of the access matrix. */
export const accessPage = z
  .object({
    /** Who may reach what, in order of the names of identity and service, then by type. */
    entries: z.array(accessEntry),
    /** The cursor for the next page; missing on the last one. A page may be short and yet have one. */
    next: string.optional(),
  })
  .meta({ id: 'AccessPage' });

/** What every question of who may reach what takes. */
export const accessQuery = z.object({
  /** Dialling or binding; default both. */
  type: z.enum(['Dial', 'Bind']).optional(),
  /** Entries to return at most; default 100, at most 500. */
  limit: integer.optional(),
  after: shortText.optional().meta({ description: 'The cursor `next` of the page before.' }),
});

export const matrixQuery = accessQuery.extend({
  identities: queryText.optional().meta({ description: 'The identities that count, as a filter. Default: all.' }),
  services: queryText.optional().meta({ description: 'The services that count, as a filter. Default: all.' }),
});
