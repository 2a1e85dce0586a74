import * as z from 'zod';
import { fieldSymbols, symbolsOf } from '../query/index.ts';
import { EMPTY, entityReference, group, operation, readOperations, string } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** One of the connections that a link consists of. */
const linkConnection = z
  .object({
    /** The type of the link, e.g. `link.default`. */
    type: string,
    /** Address of the router that has dialed. */
    source: string,
    /** Address of the other router. */
    dest: string,
  })
  .meta({ id: 'LinkConnection' });

/** A link: two routers that are connected to each other, as they report it. */
const routerLink = z
  .object({
    /** Given by the router that has dialed. */
    id: string,
    /** Protocol of the link, e.g. `tls`. */
    protocol: string,
    /** Address that was dialed. */
    dialAddress: string,
    /** The router that has dialed. */
    sourceRouter: entityReference,
    /** The router that was dialed. */
    destRouter: entityReference,
    /** Always `Connected`: only connected links are listed. */
    state: string,
    /** Always false: links are deleted instead of being taken out of use. */
    down: boolean,
    /** Static cost of the link, without measured latency. */
    staticCost: z.int(),
    /** Nanoseconds to the dialed router; 0, because the controller measures none. */
    sourceLatency: z.int(),
    /** Nanoseconds back; 0, because the controller measures none. */
    destLatency: z.int(),
    /** The cost of a circuit over this link, without that of its routers. */
    cost: z.int(),
    /** Grows each time that the link is dialed again. */
    iteration: z.int(),
    /** The connections that it consists of. */
    connections: z.array(linkConnection),
  })
  .meta({ id: 'RouterLink' });

/** The fields for filtering and sorting links. Routers are given by their ids. */
export const linkSymbols = symbolsOf(
  'link',
  fieldSymbols({
    id: 'string',
    protocol: 'string',
    dialAddress: 'string',
    sourceRouter: 'string',
    destRouter: 'string',
    state: 'string',
    down: 'boolean',
    cost: 'number',
    staticCost: 'number',
    sourceLatency: 'number',
    destLatency: 'number',
    iteration: 'number',
  }),
);

const fabric = { surfaces: [surfaces.fabric] } as const;

/** In memory only: each controller knows the links of the routers that are connected to it. */
export const routerLinks = group('links', 'Links between routers', {
  ...readOperations(routerLink, { collection: 'links', names: ['Link', 'Links'], permission: 'ops.read', ...fabric }),
  delete: operation('DELETE', '/links/{id}', {
    operationId: 'deleteLink',
    summary: 'Delete a link: its routers close it, and the circuits over it end; routers may make another',
    permission: 'ops.delete',
    answer: EMPTY,
    ...fabric,
  }),
});
