/** The effect of a change on access, as previews and comparisons report it. */
import * as z from 'zod';
import { accessReason, afterPage } from './access-matrix.ts';
import { batchedOperations } from './batch.ts';
import { entityReference, integer, string, timestamp } from './kit/index.ts';

const type = z.enum(['Dial', 'Bind']);

/** An identity that gains or loses access to a service. */
export const accessChange = z
  .object({
    /** The identity. */
    identity: entityReference,
    /** The service. */
    service: entityReference,
    /** The type of access. */
    type,
    policies: z
      .array(accessReason)
      .meta({ description: 'The policies that permit it after the change or, if access is lost, before the change.' }),
    /** The time when the last of these policies ends; missing if one of them has no end. */
    validUntil: timestamp.optional(),
    policiesBefore: z
      .array(accessReason)
      .optional()
      .meta({ description: 'The policies that permitted it before the change, for access that remains under other conditions.' }),
  })
  .meta({ id: 'AccessChange' });

/** An edge router that an identity may use, or through which a service can be reached, only before or only after the change. */
export const routerChange = z
  .object({
    /** The identity; missing if the change concerns a service. */
    identity: entityReference.optional(),
    /** The service; missing if the change concerns an identity. */
    service: entityReference.optional(),
    /** The edge router. */
    router: entityReference,
    /** The policies that select both the router and the identity or service. */
    policies: z.array(entityReference),
  })
  .meta({ id: 'RouterChange' });

const count = z.int();

/** A session or a circuit that ends. */
export const endingConnection = z
  .object({
    /** Id of the session or the circuit. */
    id: string,
    /** Id of the identity. */
    identityId: string,
    /** Id of the service. */
    serviceId: string,
  })
  .meta({ id: 'EndingConnection' });

/** One page of the effect of a change. */
export const accessReport = z
  .object({
    gained: z
      .array(accessChange)
      .meta({ description: 'Access that exists only after the change. Each list contains only the items on this page.' }),
    /** Access that exists only before the change. */
    lost: z.array(accessChange),
    /** Access that remains, under other conditions: posture checks, or the end of a grant. */
    changed: z.array(accessChange),
    /** Edge routers that identities may use, or services can be reached through, only after the change. */
    routersGained: z.array(routerChange),
    /** Edge routers that identities may use, or services can be reached through, only before the change. */
    routersLost: z.array(routerChange),
    /** Sessions that end. */
    sessions: z.array(endingConnection),
    /** Circuits of this controller that end. */
    circuits: z.array(endingConnection),
    /** Policy tests that fail. */
    brokenTests: z.array(entityReference),
    /** The number of items on all pages. */
    counts: z.object({
      /** Access gained. */
      gained: count,
      /** Access lost. */
      lost: count,
      /** Access under other conditions. */
      changed: count,
      unchanged: count.meta({
        description: 'Access that the change affects, but that remains as before because another policy permits it, too.',
      }),
      /** Routers gained. */
      routersGained: count,
      /** Routers lost. */
      routersLost: count,
      /** Sessions that end. */
      sessions: count,
      /** Circuits that end. */
      circuits: count,
      /** Policy tests that fail. */
      brokenTests: count,
    }),
    /** The cursor for the next page; missing on the last one. A page may have fewer than `limit` items without being the last. */
    next: string.optional(),
  })
  .meta({ id: 'AccessReport', description: 'The exact effect of a change on access, page by page. Posture data is not considered.' });

export type AccessReport = z.output<typeof accessReport>;

/** Parameters for reading a report. */
export const reportQuery = z.object({
  /** Maximum number of items per page, all lists together; default 100, at most 500. */
  limit: integer.optional(),
  after: afterPage,
});

/** The difference in access between two revisions. */
export const comparison = accessReport
  .extend({
    /** The revision of the earlier state. */
    from: z.int(),
    /** The revision of the later state. */
    to: z.int(),
  })
  .meta({ id: 'AccessComparison' });

export const comparisonQuery = reportQuery.extend({
  from: integer.optional().meta({ description: 'The revision of the earlier state. Required.' }),
  to: integer.optional().meta({ description: 'The revision of the later state. Default: the current one.' }),
});

/** The operations to preview. */
export const previewBody = z
  .strictObject({
    operations: batchedOperations,
    limit: z.int().optional().meta({ description: 'Maximum number of items per page, all lists together; default 100, at most 500.' }),
    after: afterPage,
  })
  .meta({ id: 'AccessPreviewRequest' });

/** The effect that the operations would have on access. */
export const previewReport = accessReport
  .extend({
    revision: z.int().meta({
      description:
        'The last revision of the state before the operations. Pass it as `ifRevision` of a batch to apply them to this state only.',
    }),
  })
  .meta({ id: 'AccessPreview' });
