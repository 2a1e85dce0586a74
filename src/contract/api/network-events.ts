import * as z from 'zod';
import { data, group, integer, list, operation, string, textUpTo } from './kit/index.ts';
import { queryFlag } from './kit/list-query.ts';
import { boolean, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** An event of the network, with the fields of its kind. */
const streamedEvent = z
  .looseObject({
    namespace: string.meta({ description: 'The kind of event, e.g. `circuit`; `stream` for events of the stream itself.' }),
    event_type: string.optional().meta({ description: 'The type of the event within its kind. Of a stream: `opened`, or `gap`.' }),
    missed: z.int().optional().meta({ description: 'Of the type `gap`: the number of events that the follower was too slow for.' }),
  })
  .meta({ id: 'StreamedEvent' });

const tracesToggle = z
  .object({
    enable: boolean.meta({ description: 'True to trace, false to stop.' }),
    appRegex: textUpTo(512).meta({ description: 'A regular expression for the ids of the routers (RE2). Empty: all.' }),
    pipeRegex: textUpTo(512).meta({
      description: 'A regular expression for the names of their channels (RE2), such as `^ctrl$`. Empty: all.',
    }),
    verbosity: z
      .enum(['none', 'matches', 'misses', 'all'])
      .optional()
      .meta({ description: 'The channels that the reports of the routers name. Default: `none`.' }),
  })
  .meta({ id: 'RouterTracesToggle', description: 'Which routers trace the messages of which channels, or stop.' });

const toggledRouter = z
  .object({
    routerId: string.meta({ description: 'Id of the router.' }),
    isSelected: boolean.meta({ description: 'True if its id matches, so that it was asked.' }),
    success: boolean.meta({ description: 'False if it was asked and has refused, or has not answered.' }),
    report: string.meta({ description: 'The report of the router, or the reason why it failed.' }),
  })
  .meta({ id: 'ToggledRouter', description: 'A connected router after a request to trace messages, or to stop.' });

/** Events of the network, as the reference controller tells them. */
export const networkEvents = group('networkEvents', 'Network events', {
  follow: operation('GET', '/network-events', {
    operationId: 'followNetworkEvents',
    summary: 'Stream events of the network as they happen, beginning with one that the stream is open',
    permission: 'ops.read',
    belongsTo: ['identity', 'service', 'router'],
    surfaces: [surfaces.extensions],
    query: z.object({
      types: list(shortText, 50).optional().meta({
        description:
          'Kinds of events, e.g. `circuit`; may be repeated. Default: all that the caller may see, without `trace`. `apiSession`, `authentication`, `entityChange`, `quota`, `session` and `trace` need an administrator or auditor.',
      }),
      include: list(shortText, 50).optional().meta({
        description: 'Types of events, e.g. `failed`, for a single kind that has them; of `entityChange`, types of entities. Default: all.',
      }),
      version: integer.optional().meta({ description: 'Version of events of the kind `usage`, 2 or 3. Default: 3.' }),
      sourceFilter: shortText.optional().meta({ description: 'A regular expression for the sources of metrics (RE2).' }),
      metricFilter: shortText.optional().meta({ description: 'A regular expression for metrics: name, dot, name of the value (RE2).' }),
      interval: shortText.optional().meta({ description: 'Interval of the kind `entityCount`, such as `30s`. Default: `5m`.' }),
      includeParentEvents: queryFlag.optional().meta({
        override: { type: 'boolean' },
        description: 'True for the events of the fabric, too, when a service or router changes.',
      }),
    }),
    answer: { is: 'events', item: streamedEvent },
  }),
  toggleTraces: operation('POST', '/router-traces', {
    standalone: 'it sends requests to routers',
    operationId: 'toggleRouterTraces',
    summary: 'Have connected routers trace the messages of their channels, or stop; limited to 4 seconds',
    permission: 'router-trace.update',
    acceptedPermissions: [],
    surfaces: [surfaces.extensions],
    body: { schema: tracesToggle, name: 'toggle' },
    answer: data(z.array(toggledRouter)),
  }),
});
