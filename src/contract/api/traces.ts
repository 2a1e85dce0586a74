import * as z from 'zod';
import { list, readOnly, reference, resource, string, timestamp } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';

/** The data flows to trace. The controller carries no traffic itself: a host that supports tracing listens for changes of this kind. */
export const trace = resource({
  kind: 'trace',
  collection: 'traces',
  names: ['Trace', 'Traces'],
  about: 'A trace requests that data flows of an identity be traced until a given time. Its id is the id of the identity.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade', alone: true }),
    traceId: readOnly(string),
    until: readOnly(timestamp, { index: true }),
    channels: readOnly(z.array(string), { default: [] }),
  },
});

/** A request to start or stop tracing. */
export const traceSpec = z
  .object({
    /** True to start tracing, false to stop it. */
    enabled: boolean.optional(),
    duration: shortText.optional().meta({ description: 'Duration from now, such as `1h30m` or `90s`. Units: ns, us, ms, s, m, h.' }),
    traceId: shortText.optional().meta({ description: 'Id of the trace. Default: a new UUID.' }),
    channels: list(shortText, 100).optional().meta({ description: 'Channels to trace: `EstablishPath`, `SelectPath` or `all` (default).' }),
  })
  .meta({ id: 'TraceSpec' });

/** The trace of an identity. */
export const traceDetail = z
  .object({
    /** True if data flows are being traced. */
    enabled: boolean,
    /** Id of the trace. */
    traceId: string.optional(),
    until: timestamp.meta({ description: 'When tracing ends; a date in the year 1 if nothing is traced.' }),
  })
  .meta({ id: 'TraceDetail' });
