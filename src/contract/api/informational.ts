import * as z from 'zod';
import { data, entityBase, group, operation, page, string } from './kit/index.ts';
import { surfaces } from './surfaces/index.ts';

const apiVersion = z
  .object({
    /** Absolute addresses of the API. */
    apiBaseUrls: z.array(string),
    /** Path of the API, relative to the address of the controller. */
    path: string,
    /** Version of the API. */
    version: string,
  })
  .meta({ id: 'ApiVersion', description: 'The address of one version of an API.' });

/** The version of this controller, and the addresses of its APIs. */
const versionInformation = z
  .object({
    /** The APIs, by name and version. */
    apiVersions: z.record(string, z.record(string, apiVersion)),
    /** When this software was built. */
    buildDate: string,
    /** Capabilities beyond the API. */
    capabilities: z.array(string),
    revision: string.meta({ description: 'Name and version of this software.' }),
    /** Version of the runtime. */
    runtimeVersion: string,
    version: string.meta({ description: 'The OpenZiti release with which the API is compatible.' }),
  })
  .meta({ id: 'VersionInformation' });

/** A description of an API. */
const spec = z
  .object({
    ...entityBase,
    /** Name of the API. */
    name: string,
  })
  .meta({ id: 'Spec' });

/** The address of this API for one protocol. */
const protocol = z.object({ address: string.meta({ description: '`host:port`' }) }).meta({ id: 'Protocol' });

const open = { permission: 'open', surfaces: [surfaces.management, surfaces.client] } as const;

export const informational = group('informational', 'Information', {
  root: operation('GET', '/', { operationId: 'listRoot', summary: 'Get version information', answer: data(versionInformation), ...open }),
  version: operation('GET', '/version', {
    operationId: 'listVersion',
    summary: 'Get version information',
    answer: data(versionInformation),
    ...open,
  }),
  capabilities: operation('GET', '/enumerated-capabilities', {
    operationId: 'listEnumeratedCapabilities',
    summary: 'List all capabilities that a controller may report, enabled or not',
    answer: data(z.array(string)),
    ...open,
  }),
  routerCapabilities: operation('GET', '/enumerated-router-capabilities', {
    operationId: 'listEnumeratedRouterCapabilities',
    summary: 'List all capabilities that a router may report',
    answer: data(z.array(string)),
    ...open,
  }),
  protocols: operation('GET', '/protocols', {
    operationId: 'listProtocols',
    summary: 'List the protocols and addresses of this API',
    permission: 'open',
    surfaces: [surfaces.client],
    answer: data(z.record(string, protocol)),
  }),
  listSpecs: operation('GET', '/specs', {
    operationId: 'listSpecs',
    summary: 'List the descriptions of the APIs',
    answer: page(spec),
    ...open,
  }),
  getSpec: operation('GET', '/specs/{id}', {
    operationId: 'detailSpec',
    summary: 'Get the description of an API',
    answer: data(spec),
    ...open,
  }),
  getSpecBody: operation('GET', '/specs/{id}/spec', {
    operationId: 'detailSpecBody',
    summary: 'Get the OpenAPI 2.0 document of an API',
    answer: { is: 'raw', contentTypes: ['application/json', 'text/yaml'] },
    ...open,
  }),
  swagger: operation('GET', '/swagger.json', {
    operationId: 'getSwagger',
    summary: 'Get the OpenAPI 2.0 document of this API',
    answer: { is: 'raw', contentTypes: ['application/json'] },
    ...open,
  }),
  openapi: operation('GET', '/openapi.json', {
    operationId: 'getOpenApi',
    summary: 'Get the OpenAPI 3.1 document of all mounted APIs',
    permission: 'open',
    surfaces: [surfaces.extensions],
    answer: { is: 'raw', contentTypes: ['application/json'] },
  }),
  summary: operation('GET', '/summary', {
    operationId: 'listSummary',
    summary: 'Count the entities of each kind',
    permission: 'summary.read',
    acceptedPermissions: [],
    answer: data(z.record(string, z.int())),
  }),
});
