import * as z from 'zod';
import { data, group, list, operation, string, textUpTo } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Selects the routers to query and the values to request. */
const inspectRequest = z
  .object({
    appRegex: textUpTo(256).meta({
      description:
        'A regular expression that is searched for in the ids and names of the routers, and in the id of the controller. It may contain characters, `.*+?|^$`, and `\\` before punctuation, but no groups or classes.',
    }),
    /** Names of values, e.g. `links`, `router-circuits` or `stackdump`. */
    requestedValues: list(textUpTo(256), 32),
  })
  .meta({ id: 'InspectRequest' });

/** A value from a router or the controller. */
const inspectedValue = z
  .object({
    /** Id of the router or the controller. */
    appId: string,
    /** Name of the value. */
    name: string,
    /** The value: parsed if it is JSON, otherwise text. */
    value: z.unknown(),
  })
  .meta({ id: 'InspectedValue' });

/** The values from the routers and the controller. */
const inspectResponse = z
  .object({
    /** True if there were no errors. */
    success: boolean,
    /** A message for each missing value, with the id of the router. */
    errors: z.array(string),
    /** The values. */
    values: z.array(inspectedValue),
  })
  .meta({ id: 'InspectResponse' });

/** The kinds of which the data model of routers shows entities. */
export const DATA_MODEL_KINDS = [
  'configType',
  'config',
  'identity',
  'service',
  'servicePolicy',
  'postureCheck',
  'ca',
  'revocation',
] as const;

/** Inspections query the connected routers for their internal state. */
export const inspections = group('inspections', 'Inspections', {
  run: operation('POST', '/inspections', {
    standalone: 'it sends requests to routers',
    operationId: 'inspect',
    summary: 'Read internal state of this controller and its connected routers; limited to 10 seconds, and to 8 MiB from all routers',
    permission: 'ops.read',
    acceptedPermissions: ['ops', 'ops.read'],
    shows: DATA_MODEL_KINDS,
    belongsTo: ['router'],
    surfaces: [surfaces.fabric],
    body: { schema: inspectRequest, name: 'request' },
    answer: data(inspectResponse, { isBare: true }),
  }),
});
