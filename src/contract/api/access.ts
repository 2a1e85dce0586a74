import * as z from 'zod';
import { entityReference, string } from './kit/index.ts';
import { reportedFields } from './router-software.ts';
import { boolean } from './shared.ts';

/** The effective policies for one identity and one service. Fields that are false or zero are omitted. */
export const policyAdvice = z
  .object({
    /** The identity of the query. */
    identity: entityReference,
    /** Id of the identity. */
    identityId: string,
    /** The service of the query. */
    service: entityReference,
    /** Id of the service. */
    serviceId: string,
    /** True if a service policy lets the identity dial the service. */
    isDialAllowed: boolean.optional(),
    /** True if a service policy lets the identity bind the service. */
    isBindAllowed: boolean.optional(),
    /** Number of edge routers that the identity may use. */
    identityRouterCount: z.int().optional(),
    /** Number of edge routers through which the service can be reached. */
    serviceRouterCount: z.int().optional(),
    /** Edge routers that both may use; the identity cannot reach the service without one. */
    commonRouters: z
      .array(
        entityReference.extend({
          /** True if the router is connected. */
          isOnline: boolean,
        }),
      )
      .nullable(),
  })
  .meta({ id: 'PolicyAdvice' });

/** A router through which a client reaches a service. */
export const commonEdgeRouter = z
  .object({
    /** Name of the router. */
    name: string,
    /** Host name at which clients reach the router. */
    hostname: string,
    /** True if the router is connected. */
    isOnline: boolean,
    /** Address by protocol, e.g. `tls`. */
    supportedProtocols: z.record(string, string),
    /** Progress of the router in synchronizing its model of the network. */
    syncStatus: string,
    ...reportedFields,
    /** Cost of a path through the router, 0 to 65535. */
    cost: z.int(),
    /** True if the router carries no traffic between other routers. */
    noTraversal: boolean,
    /** True if the router is disabled. */
    disabled: boolean,
  })
  .meta({ id: 'CommonEdgeRouter' });

/** The routers through which a session reaches a service. */
export const serviceEdgeRouters = z
  .object({
    /** Null if there are none. */
    edgeRouters: z.array(commonEdgeRouter).nullable(),
  })
  .meta({ id: 'ServiceEdgeRouters' });
