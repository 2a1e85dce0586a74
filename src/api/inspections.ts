import * as z from 'zod';
import { data, group, list, operation, string, textUpTo } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Selects the routers to query and the values to request. */
const inspectRequest = z
  .object({
    appRegex: textUpTo(256).meta({
      description:
        'A regular expression that is found in the ids of routers, or in that of the controller: letters, digits, `-_.*+?|^$`, and `\\` before one of these.',
    }),
    /** Names of values, e.g. `links`, `router-circuits` or `stackdump`. */
    requestedValues: list(textUpTo(256), 32),
  })
  .meta({ id: 'InspectRequest' });

/** A value from a router. */
const inspectedValue = z
  .object({
    /** Id of the router or the controller. */
    appId: string,
    /** Name of the value. */
    name: string,
    /** The value: parsed if it is JSON, else text. */
    value: z.unknown(),
  })
  .meta({ id: 'InspectedValue' });

/** The answers of the routers and the controller. */
const inspectResponse = z
  .object({
    /** True if there were no errors. */
    success: boolean,
    /** Why values are missing: a message for each, with the id of the router. */
    errors: z.array(string),
    /** The values. */
    values: z.array(inspectedValue),
  })
  .meta({ id: 'InspectResponse' });

/** Inspections query connected routers for values that only they know. */
export const inspections = group('inspections', 'Inspections', {
  run: operation('POST', '/inspections', {
    standalone: 'it asks routers',
    operationId: 'inspect',
    summary:
      'Ask this controller and the routers connected to it for values that they alone know; within 10 seconds, 8 MiB from all routers at most',
    permission: 'ops.read',
    grantable: 'notToAuditors',
    surfaces: [surfaces.fabric],
    body: { schema: inspectRequest, name: 'request' },
    answer: data(inspectResponse, { isBare: true }),
  }),
});
