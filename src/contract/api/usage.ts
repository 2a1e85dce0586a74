import * as z from 'zod';
import { between, EXPORTED, exportFormat, namedEntity } from './journal.ts';
import { group, list, listQuery, operation, page, readOnly, resource, string, timestamp } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

/** The spans of time by which usage is added up, the shortest first. */
export const SPANS = ['minute', 'hour', 'day'] as const;
export type Span = (typeof SPANS)[number];

/** The sum of the usage of a service by an identity over the router where it entered. The id begins with the span and its time. */
export const usageSum = resource({
  kind: 'usageSum',
  collection: 'usage',
  names: ['UsageSum', 'UsageSums'],
  about: 'A usage sum is the number of circuits and bytes of an identity to a service over one router, in a minute, an hour or a day.',
  unrecorded: true,
  fields: {
    span: readOnly(z.enum(SPANS), { filter: true, default: 'day' }),
    /** When the span begins, in UTC. */
    begin: readOnly(timestamp, { filter: true, default: '' }),
    identityId: readOnly(string, { filter: true, index: true, default: '' }),
    identityName: readOnly(string, { filter: true, default: '' }),
    serviceId: readOnly(string, { filter: true, index: true, default: '' }),
    serviceName: readOnly(string, { filter: true, default: '' }),
    /** The router of the client. */
    routerId: readOnly(string, { filter: true, default: '' }),
    /** Circuits that began in the span, as far as they are in the journal. */
    circuits: readOnly(z.int(), { default: 0 }),
    /** Bytes from the client, and to it. */
    bytesSent: readOnly(z.int(), { default: 0 }),
    bytesReceived: readOnly(z.int(), { default: 0 }),
  },
});

/** The properties by which usage can be grouped. */
const GROUPINGS = [...SPANS, 'identity', 'service', 'router'] as const;

/** The usage of a group. */
export const usageGroup = z
  .object({
    begin: timestamp.nullable().meta({ description: 'When the span begins; null unless grouped by one.' }),
    identity: namedEntity.nullable().meta({ description: 'Null unless grouped by identity.' }),
    service: namedEntity.nullable().meta({ description: 'Null unless grouped by service.' }),
    router: namedEntity
      .nullable()
      .meta({ description: 'The router of the clients; null unless grouped by router, or if the caller may not see it.' }),
    circuits: z.int().meta({ description: 'Number of circuits that began.' }),
    bytesSent: z.int().meta({ description: 'Bytes from clients.' }),
    bytesReceived: z.int().meta({ description: 'Bytes to clients.' }),
  })
  .meta({ id: 'UsageGroup' });

const { limit, offset, sort, filter } = listQuery.shape;
const asked = {
  by: list(z.enum(GROUPINGS), GROUPINGS.length).optional().meta({
    description: 'A property to group by; may be repeated, with one span at most. Default: `day`. Without a span, days are added up.',
  }),
  filter: filter.meta({ description: 'A condition in the filter language for what is added up, e.g. `serviceName = "web"`.' }),
  sort: sort.meta({ description: 'Fields of groups to sort by, e.g. `bytes desc`. Default: the latest first, then the most bytes.' }),
  ...between,
};
const common = { permission: 'ops.read', shows: ['identity', 'service', 'router'], surfaces: [surfaces.extensions] } as const;

export const usage = group('usage', 'Usage', {
  list: operation('GET', '/usage', {
    operationId: 'listUsage',
    summary: 'List sums of circuits and bytes by identity, service, router, and minute, hour or day (UTC)',
    query: z.object({ ...asked, limit, offset }),
    answer: page(usageGroup),
    ...common,
  }),
  export: operation('GET', '/usage/export', {
    operationId: 'exportUsage',
    summary: 'Export sums of circuits and bytes, as they are listed',
    query: z.object({ ...asked, format: exportFormat }),
    answer: EXPORTED,
    errors: ['INVALID_FILTER', 'INVALID_SORT_IDENTIFIER'],
    ...common,
  }),
});
