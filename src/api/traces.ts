import * as z from 'zod';
import { list, readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';

/** Which data flows to trace. The controller itself carries no traffic: a host that traces it watches the changes of this kind. */
export const trace = resource({
  kind: 'trace',
  collection: 'traces',
  names: ['Trace', 'Traces'],
  about: 'A trace says that the data flows of an identity are to be traced until a time. It has the id of its identity.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', alone: true }),
    traceId: readOnly(string),
    until: readOnly(timestamp, { index: true }),
    channels: readOnly(z.array(string), { default: [] }),
  },
});

/** The request to trace: channels, and for how long. */
export const traceSpec = z
  .object({
    /** True to begin tracing, false to end it. */
    enabled: boolean.optional(),
    duration: shortText.optional().meta({ description: 'How long from now, such as `1h30m` or `90s`. Units: ns, us, ms, s, m, h.' }),
    traceId: shortText.optional().meta({ description: 'Default: a new UUID.' }),
    channels: list(shortText, 100).optional().meta({ description: '`EstablishPath`, `SelectPath` or `all`, which is the default.' }),
  })
  .meta({ id: 'TraceSpec' });

/** The trace of an identity. */
export const traceDetail = z
  .object({
    /** True if anything is traced. */
    enabled: boolean,
    /** Id of the trace. */
    traceId: string.optional(),
    until: timestamp.meta({ description: 'The year 1 when nothing is traced.' }),
  })
  .meta({ id: 'TraceDetail' });
