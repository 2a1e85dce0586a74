import * as z from 'zod';
import { fieldSymbols, symbolsOf } from '../../query/index.ts';
import { EMPTY, entityReference, group, operation, readOperations, string } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** One connection of a link. */
const linkConnection = z
  .object({
    /** The type of the connection, e.g. `link.default`. */
    type: string,
    /** Address of the dialing router. */
    source: string,
    /** Address of the other router. */
    dest: string,
  })
  .meta({ id: 'LinkConnection' });

/** A link between two routers, as they report it. */
const routerLink = z
  .object({
    /** Id of the link, assigned by the dialing router. */
    id: string,
    /** Protocol of the link, e.g. `tls`. */
    protocol: string,
    /** Address that was dialed. */
    dialAddress: string,
    /** The dialing router. */
    sourceRouter: entityReference,
    /** The router that was dialed. */
    destRouter: entityReference,
    /** Always `Connected`: only connected links are listed. */
    state: string,
    /** True if an administrator has taken the link out of use: no new path leads over it. */
    down: boolean,
    /** Cost of the link without measured latency; 1 unless an administrator has changed it. */
    staticCost: z.int(),
    /** Latency that the dialing router measures, including the time in its queues, in nanoseconds; 0 until it reports it. */
    sourceLatency: z.int(),
    /** Latency that the dialed router measures, including the time in its queues, in nanoseconds; 0 until it reports it. */
    destLatency: z.int(),
    /** The cost of the link in a path, without the costs of its routers: `staticCost`, and 1 per full millisecond of each latency. */
    cost: z.int(),
    /** Increases each time the link is dialed again. */
    iteration: z.int(),
    /** The connections of the link. */
    connections: z.array(linkConnection),
  })
  .meta({ id: 'RouterLink' });

/** The settings of a link by administrators. They last until the link is closed, or this controller restarts. */
const linkPatch = z
  .object({
    /** Cost of the link without measured latency, 0 to 2147483647. */
    staticCost: z.int().min(0).max(2_147_483_647),
    /** True to take the link out of use: no new path leads over it, and its circuits move if they can. */
    down: boolean,
  })
  .partial()
  .meta({ id: 'LinkPatch' });

/** The symbols for filtering and sorting links. Routers are compared by id. */
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

const fabric = { belongsTo: ['router'], surfaces: [surfaces.fabric] } as const;

/** Links exist only in memory: each controller has the links of the routers that are connected to it. */
export const routerLinks = group('links', 'Links between routers', {
  ...readOperations(routerLink, { collection: 'links', names: ['Link', 'Links'], permission: 'ops.read', ...fabric }),
  patch: operation('PATCH', '/links/{id}', {
    standalone: 'routers move circuits immediately',
    operationId: 'patchLink',
    summary: 'Change the static cost of a link, or take it out of use; its circuits move to the cheapest paths',
    permission: 'ops.update',
    body: { schema: linkPatch, name: 'link' },
    answer: EMPTY,
    ...fabric,
  }),
  delete: operation('DELETE', '/links/{id}', {
    standalone: 'routers close the link immediately',
    operationId: 'deleteLink',
    summary: 'Delete a link: its routers close it, and its circuits are torn down; the routers may establish a new link',
    permission: 'ops.delete',
    answer: EMPTY,
    ...fabric,
  }),
});
