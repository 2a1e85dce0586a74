/** Routers, services and terminators in the fabric API: the entities of the management API in a different representation. */
import * as z from 'zod';
import { routerWrites, serviceWrites } from './fabric-writes.ts';
import {
  CREATED,
  crud,
  entityBase,
  entityReference,
  group,
  type Kind,
  listQuery,
  operation,
  page,
  readOperations,
  rightTo,
  string,
  tags,
} from './kit/index.ts';
import { routerInterfaces } from './router-reports.ts';
import { versionInfo } from './router-software.ts';
import { router } from './routers.ts';
import { service } from './services.ts';
import { boolean, cost, precedence, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';
import { terminator } from './terminators.ts';

/** An address at which other routers reach a router. */
const linkListener = z
  .object({
    /** Address that other routers dial, e.g. `tls:fra1.example.com:6000`. */
    address: string,
    /** Protocol of its links, e.g. `tls`. */
    protocol: string,
  })
  .meta({ id: 'LinkListener' });

/** A router of the fabric, including edge routers. */
const fabricRouter = z
  .object({
    ...entityBase,
    /** Unique among all routers. */
    name: string,
    /** SHA-1 of the certificate in hex; empty while the router has not enrolled. */
    fingerprint: string,
    /** True if the router is connected to this controller. */
    connected: boolean,
    /** Cost of a path through the router, 0 to 65535. */
    cost,
    /** True if the router carries no traffic between other routers. */
    noTraversal: boolean,
    /** True if the router is disabled: it may not connect. */
    disabled: boolean,
    /** Addresses at which other routers reach the router, while it is connected. */
    listenerAddresses: z.array(linkListener),
    /** The software that the router runs, while it is connected. */
    versionInfo: versionInfo.optional(),
    /** Network interfaces that the router reported. */
    interfaces: routerInterfaces,
  })
  .meta({ id: 'FabricRouter' });

/** A service of the fabric. */
const fabricService = z
  .object({
    ...entityBase,
    /** Unique among services. */
    name: string,
    /** The strategy for choosing a terminator. */
    terminatorStrategy: string,
    /** Milliseconds after which an idle connection is closed; 0: never. */
    maxIdleTimeMillis: z.int(),
  })
  .meta({ id: 'FabricService' });

/** A terminator of the fabric: the address at which routers reach a service. */
const fabricTerminator = z
  .object({
    ...entityBase,
    /** Id of the service. */
    serviceId: string,
    /** The service. */
    service: entityReference,
    /** Id of the router. */
    routerId: string,
    /** The router. */
    router: entityReference,
    /** The mechanism with which the router reaches the address, e.g. `transport` or `edge`. */
    binding: string,
    /** Address behind the router. */
    address: string,
    /** Distinguishes the instances of a service. */
    instanceId: string,
    /** Cost of the path, 0 to 65535. */
    cost,
    /** Order of preference: `required`, then `default`, then `failed`. */
    precedence,
    /** Dynamic cost, which depends on the traffic. */
    dynamicCost: cost,
    /** Id of the identity that hosts the terminator; empty if an administrator created it. */
    hostId: string,
  })
  .meta({ id: 'FabricTerminator' });

/** A terminator to create. The field `instanceId` is called `identity` in the management API. */
const fabricTerminatorCreate = z
  .object({
    /** Id of the service. */
    service: shortText.min(1),
    /** Id of the router. */
    router: shortText.min(1),
    /** The mechanism with which the router reaches the address, e.g. `transport`. If empty, the address determines it. */
    binding: shortText,
    /** Address behind the router. */
    address: shortText.min(1),
    /** Distinguishes the instances of a service. Default: empty. */
    instanceId: shortText.optional(),
    /** Secret that proves ownership of `instanceId`; stored encrypted, and never shown. */
    instanceSecret: shortText.optional(),
    /** Cost of the path, 0 to 65535. Default: 0. */
    cost: cost.optional(),
    /** Order of preference: `required`, then `default`, then `failed`. Default: `default`. */
    precedence: precedence.optional(),
    /** User-defined names with values: text, boolean or null. */
    tags: tags.optional(),
  })
  .meta({ id: 'FabricTerminatorCreate' });

/** Lists require the right to read the listed kind, even under other entities. */
const readable = (kind: Pick<Kind, 'kind' | 'right'>) =>
  ({ permission: rightTo('read', kind), acceptedPermissions: [], surfaces: [surfaces.fabric] }) as const;

/** The operation that lists the terminators of an entity. */
const terminatorsOf = <P extends 'routers' | 'services'>(collection: P, operationId: string, parent: string) =>
  operation('GET', `/${collection}/{id}/terminators`, {
    operationId,
    summary: `List the terminators of ${parent}`,
    query: listQuery,
    answer: page(fabricTerminator, { of: terminator.kind }),
    ...readable(terminator),
  });

export const fabricRouters = group('fabricRouters', 'Routers in the fabric', {
  ...readOperations(fabricRouter, { collection: 'routers', names: router.names, of: router.kind, ...readable(router) }),
  ...routerWrites,
  listTerminators: terminatorsOf('routers', 'listRouterTerminators', 'a router'),
});

export const fabricServices = group('fabricServices', 'Services in the fabric', {
  ...readOperations(fabricService, { collection: 'services', names: service.names, of: service.kind, ...readable(service) }),
  ...serviceWrites,
  listTerminators: terminatorsOf('services', 'listServiceTerminators', 'a service'),
});

export const fabricTerminators = group('fabricTerminators', 'Terminators in the fabric', {
  ...readOperations(fabricTerminator, { collection: 'terminators', names: terminator.names, of: terminator.kind, ...readable(terminator) }),
  create: operation('POST', '/terminators', {
    operationId: 'createTerminator',
    summary: 'Create a terminator',
    permission: rightTo('create', terminator),
    acceptedPermissions: [],
    surfaces: [surfaces.fabric],
    body: { schema: fabricTerminatorCreate, name: terminator.kind },
    answer: CREATED,
    errors: ['NOT_FOUND'],
  }),
  ...crud(terminator, { except: ['list', 'get', 'create'], surfaces: [surfaces.fabric], acceptedPermissions: [] }),
});
