import * as z from 'zod';
import { data, group, integer, list, operation, string, timestamp } from './kit/index.ts';
import { shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

const points = (description: string) => z.array(z.number().nullable()).meta({ description: `${description}; null where it is not known.` });

/** Number of routers and links that may be named. */
const MAX_NAMED = 10;

const routerLoad = z
  .object({
    /** Id of the router. */
    id: string,
    received: points('Bytes per second from clients, hosts and other routers'),
    sent: points('Bytes per second to them'),
    circuits: points('Circuits over the router'),
  })
  .meta({ id: 'RouterLoad', description: 'The load of a router, the earliest point first.' });

const linkLoad = z
  .object({
    /** Id of the link. */
    id: string,
    bytes: points('Bytes per second, both directions together'),
    latency: points('The greater of the latencies that both routers measure, in milliseconds'),
    circuits: points('Circuits over the link'),
    cost: points('Cost of the link in a path'),
  })
  .meta({ id: 'LinkLoad', description: 'The load of a link, the earliest point first.' });

const trafficLoad = z
  .object({
    end: timestamp.meta({ description: 'The end of the last point.' }),
    minutes: z.int().meta({ description: 'The span of all points.' }),
    points: z.int().meta({ description: 'The number of points, each an average.' }),
    routers: z.array(routerLoad).meta({ description: 'Routers that were connected.' }),
    links: z.array(linkLoad).meta({ description: 'Links of routers that are connected.' }),
  })
  .meta({ id: 'TrafficLoad', description: 'The load of routers and links.' });

/** The load of the routers and links of this controller, which it records each minute. */
export const traffic = group('traffic', 'Traffic', {
  history: operation('GET', '/traffic-history', {
    operationId: 'getTrafficHistory',
    summary: 'Read the load of routers and links in the last day, as this controller has recorded it each minute',
    permission: 'ops.read',
    shows: ['router'],
    surfaces: [surfaces.extensions],
    query: z.object({
      id: list(shortText, MAX_NAMED)
        .optional()
        .meta({
          description: `Id of a router or a link; may be repeated, ${MAX_NAMED} times at most. Default: all, each with one point.`,
        }),
      minutes: integer.optional().meta({
        description: 'The span before now that is read, 1 to 1440. Default: 1440, or 5 for all routers and links.',
      }),
      points: integer.optional().meta({
        description: 'Number of points into which the span is averaged, from 1 to its minutes. Default: 96, or all minutes.',
      }),
    }),
    answer: data(trafficLoad),
  }),
});
