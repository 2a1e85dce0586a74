/** What a change of the network means for access: the answer of previews and comparisons. */
import * as z from 'zod';
import { accessReason } from './access-matrix.ts';
import { batchedOperations } from './batch.ts';
import { entityReference, integer, string, timestamp } from './kit/index.ts';
import { shortText } from './shared.ts';

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
    policies: z.array(accessReason).meta({ description: 'The policies that permit it: after the change, or, if it is lost, before.' }),
    /** When the last of them ends, if all do. */
    validUntil: timestamp.optional(),
    policiesBefore: z
      .array(accessReason)
      .optional()
      .meta({ description: 'For access that remains under other conditions: the policies that permitted it before the change.' }),
  })
  .meta({ id: 'AccessChange' });

/** An edge router that an identity may use, or through which a service can be reached, in one of the two states only. */
export const routerChange = z
  .object({
    /** The identity, if it is about one. */
    identity: entityReference.optional(),
    /** The service, if it is about one. */
    service: entityReference.optional(),
    /** The edge router. */
    router: entityReference,
    /** The policies that select both. */
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

/** Who gains and loses what. */
export const accessReport = z
  .object({
    gained: z.array(accessChange).meta({ description: 'Access that exists only after the change. All lists hold what is on this page.' }),
    /** Access that exists only before the change. */
    lost: z.array(accessChange),
    /** Access that remains, under other conditions: posture checks, or the end of a grant. */
    changed: z.array(accessChange),
    /** Edge routers that identities may use, or services can be reached through, only after the change. */
    routersGained: z.array(routerChange),
    /** Such routers that are lost. */
    routersLost: z.array(routerChange),
    /** Sessions that end. */
    sessions: z.array(endingConnection),
    /** Circuits that end, of those of this controller. */
    circuits: z.array(endingConnection),
    /** Policy tests that fail. */
    brokenTests: z.array(entityReference),
    /** How many there are of each, on all pages. */
    counts: z.object({
      /** Access gained. */
      gained: count,
      /** Access lost. */
      lost: count,
      /** Access under other conditions. */
      changed: count,
      unchanged: count.meta({
        description: 'Access that the change touches, and that remains as it is because another policy permits it, too.',
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
    /** The cursor for the next page; missing on the last one. */
    next: string.optional(),
  })
  .meta({ id: 'AccessReport', description: 'What a change means for access, posture aside: exact, and read page by page.' });

export type AccessReport = z.output<typeof accessReport>;

/** How a report is read. */
export const reportQuery = z.object({
  /** Maximum number of items per page, all lists together; default 100, at most 500. */
  limit: integer.optional(),
  after: shortText.optional().meta({ description: 'The cursor `next` of the page before.' }),
});

/** Who gained and who lost what between two revisions. */
export const comparison = accessReport
  .extend({
    /** The revision of the earlier state. */
    from: z.int(),
    /** The revision of the later state. */
    to: z.int(),
  })
  .meta({ id: 'AccessComparison' });

export const comparisonQuery = reportQuery.extend({
  from: integer.optional().meta({ description: 'The revision of the earlier state. Needed.' }),
  to: integer.optional().meta({ description: 'The revision of the later state. Default: the present one.' }),
});

/** Operations whose effect is asked for. */
export const previewBody = z
  .strictObject({
    operations: batchedOperations,
    limit: z.int().optional().meta({ description: 'Maximum number of items per page, all lists together; default 100, at most 500.' }),
    after: shortText.optional().meta({ description: 'The cursor `next` of the page before.' }),
  })
  .meta({ id: 'AccessPreviewRequest' });

/** What the operations would mean for access. */
export const previewReport = accessReport
  .extend({
    revision: z.int().meta({ description: 'The last revision of the state that it is about: what `ifRevision` of a batch takes.' }),
  })
  .meta({ id: 'AccessPreview' });
