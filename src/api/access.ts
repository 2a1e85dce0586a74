import * as z from 'zod';
import { entityReference, flag, text } from './shared.ts';

/** What policies say of one identity and one service. What is false or zero is left out. */
export const policyAdvice = z
  .object({
    identity: entityReference,
    identityId: text,
    service: entityReference,
    serviceId: text,
    isDialAllowed: flag.optional(),
    isBindAllowed: flag.optional(),
    identityRouterCount: z.int().optional(),
    serviceRouterCount: z.int().optional(),
    commonRouters: z.array(entityReference.extend({ isOnline: flag })).nullable(),
  })
  .meta({ id: 'PolicyAdvice' });

/** A router by which a client reaches a service. */
export const commonEdgeRouter = z
  .object({
    name: text,
    hostname: text,
    isOnline: flag,
    supportedProtocols: z.record(text, text),
    syncStatus: text,
    cost: z.int(),
    noTraversal: flag,
    disabled: flag,
  })
  .meta({ id: 'CommonEdgeRouter' });

export const serviceEdgeRouters = z.object({ edgeRouters: z.array(commonEdgeRouter).nullable() }).meta({ id: 'ServiceEdgeRouters' });
