import { baseAddress, pathOf } from '../../call/advertised-address.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { pageOf, planList } from '../../call/resources/lists.ts';
import { kinds } from '../../contract/api/index.ts';
import { informational } from '../../contract/api/informational.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { routerCapabilityNames } from '../../contract/api/router-software.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { COMPATIBLE_RELEASES, software } from '../../contract/version.ts';
import { JSON_TYPE } from '../../contract/wire/media-types.ts';
import { ALL, comparator, fieldSymbol, matches, symbolsOf } from '../../query/index.ts';
import { APIS, SPECS } from './api-paths.ts';

/** The kinds that the summary counts, by name of the count; null for a count that is always 0. */
const summaryKinds: Readonly<Record<string, string | null>> = {
  apiSessionCertificates: 'apiSessionCertificate',
  apiSessions: 'apiSession',
  authPolicies: 'authPolicy',
  authenticators: 'authenticator',
  cas: 'ca',
  configTypes: 'configType',
  configs: 'config',
  controllers: 'controller',
  edgeRouterPolicies: 'edgeRouterPolicy',
  enrollments: 'enrollment',
  eventualEvents: null,
  externalJwtSigners: 'externalJwtSigner',
  identities: 'identity',
  identityTypes: 'identityType',
  mfas: 'mfa',
  postureCheckTypes: 'postureCheckType',
  postureChecks: 'postureCheck',
  revocations: 'revocation',
  routers: 'router',
  'routers.edge': 'edgeRouter',
  serviceEdgeRouterPolicies: 'serviceEdgeRouterPolicy',
  servicePolicies: 'servicePolicy',
  services: 'service',
  'services.edge': 'service',
  sessions: 'session',
  terminators: 'terminator',
};

/** The oldest clients use `edge` for the client API. */
const NAMED_APIS = Object.entries({ edge: surfaces.client, ...APIS });

const version = async (call: Call) => {
  const { core, mounted } = call;
  const base = baseAddress(call);
  const above = base === undefined ? call.mount : pathOf(base);
  const hasProvider = core.provider !== undefined && mounted.includes(surfaces.oidc);
  const apiVersions: Record<string, Record<string, { apiBaseUrls: string[]; path: string; version: string }>> = {};
  for (const [api, surface] of NAMED_APIS) {
    if (!mounted.includes(surface) || (surface === surfaces.oidc && !hasProvider)) continue;
    const { prefix } = surface;
    apiVersions[api] = { v1: { apiBaseUrls: base === undefined ? [] : [`${base}${prefix}`], path: `${above}${prefix}`, version: '1.0.0' } };
  }
  return {
    apiVersions,
    buildDate: software.buildDate,
    capabilities: hasProvider ? ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] : [],
    revision: `${software.name} ${software.version}`,
    runtimeVersion: globalThis.navigator?.userAgent ?? 'unknown',
    version: COMPATIBLE_RELEASES[core.settings.compat],
  };
};

const specSymbols = symbolsOf('spec', { id: fieldSymbol('string', 'id'), name: fieldSymbol('string', 'name') });

const isSpec = (call: Call, id: string): id is keyof typeof SPECS =>
  Object.entries(SPECS).some(([name, surface]) => name === id && call.mounted.includes(surface));

const specOf = (call: Call, id: string) => {
  if (!isSpec(call, id)) throw new ApiError('NOT_FOUND');
  const at = call.core.startedAt;
  return {
    _links: { self: { href: `./specs/${id}` }, spec: { href: `./specs/${id}/spec` } },
    createdAt: at,
    id,
    name: id,
    tags: {},
    updatedAt: at,
  };
};

/** The location of the APIs: a full URL, or a path if the address is unknown. */
const locationOf = (call: Call): string => baseAddress(call) ?? call.mount;

const raw = (document: string, contentType = JSON_TYPE) => ({ contentType, body: document });

export const informationalEntries = implement(informational, {
  root: version,
  version,
  // Clients of 1.7 know two capabilities; some refuse any other.
  capabilities: async ({ core: { settings } }) => [
    'OIDC_AUTH',
    ...(settings.compat === '1.7' ? [] : ['OIDC_AUTH_WITH_CSR']),
    'HA_CONTROLLER',
  ],
  routerCapabilities: async () => [...routerCapabilityNames],
  protocols: async ({ core }) => {
    const { protocol, hostname, port } = new URL(core.settings.address);
    const scheme = protocol.slice(0, -1);
    return { [scheme]: { address: `${hostname}:${port || (scheme === 'https' ? 443 : 80)}` } };
  },
  listSpecs: async (call) => {
    const plan = planList(specSymbols, {});
    const specs = Object.keys(SPECS)
      .filter((id) => isSpec(call, id))
      .map((id) => specOf(call, id))
      .filter((spec) => matches(plan.where, spec))
      .sort(comparator([]));
    return pageOf(specs, plan, specs.length, specSymbols);
  },
  getSpec: async (call, { id }) => specOf(call, id),
  // JSON is valid YAML, so one document serves both media types.
  getSpecBody: async (call, { id }) => raw(call.core.documents.swagger(SPECS[specOf(call, id).id], locationOf(call))),
  swagger: async (call) => raw(call.core.documents.swagger(call.surface, locationOf(call))),
  openapi: async (call) => raw(call.core.documents.openapi(call.mounted, locationOf(call))),
  summary: (call) =>
    call.read(async (entities) => {
      const known = new Map<string, Kind>(Object.entries(kinds));
      const counts = await Promise.all(
        Object.entries(summaryKinds).map(async ([name, kind]) => {
          const resource = kind === null ? undefined : known.get(kind);
          return [name, resource ? await entities.count(resource, ALL) : 0] as const;
        }),
      );
      return Object.fromEntries(counts);
    }),
});
