import { kinds } from '../../../api/index.ts';
import { informational } from '../../../api/informational.ts';
import type { Kind } from '../../../api/kit/index.ts';
import { routerCapabilityNames } from '../../../api/router-reports.ts';
import { surfaces } from '../../../api/surfaces/index.ts';
import { baseAddress } from '../../../call/advertised-address.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { ApiError } from '../../../errors/index.ts';
import { ALL, comparator, fieldSymbol, matches, symbolsOf } from '../../../query/index.ts';
import { pageOf, planList } from '../../../resources/lists.ts';
import { COMPATIBLE_RELEASES, software } from '../../../version.ts';
import { JSON_TYPE } from '../../../wire/media-types.ts';
import { API_PATHS, OIDC_PATH, SPECS } from './api-paths.ts';

/** The names of the counts in the summary, and the kinds that they count; null if the controller stores nothing of the kind. */
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

const version = async (call: Call) => {
  const base = baseAddress(call);
  const prefix = base === undefined ? call.mount : new URL(base).pathname.replace(/\/$/, '');
  const at = (path: string) => ({
    v1: { apiBaseUrls: base === undefined ? [] : [`${base}${path}`], path: `${prefix}${path}`, version: '1.0.0' },
  });
  const hasProvider = call.core.provider !== undefined && call.mounted.includes(surfaces.oidc);
  return {
    // The oldest clients look for `edge`, which is the client API.
    apiVersions: Object.fromEntries(
      Object.entries({ edge: API_PATHS['edge-client'], ...API_PATHS, ...(hasProvider ? OIDC_PATH : {}) })
        .filter(([, path]) => call.mounted.some(({ prefix }) => prefix === path))
        .map(([api, path]) => [api, at(path)]),
    ),
    buildDate: software.buildDate,
    capabilities: hasProvider ? ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] : [],
    revision: `${software.name} ${software.version}`,
    runtimeVersion: globalThis.navigator?.userAgent ?? 'unknown',
    version: COMPATIBLE_RELEASES[call.core.settings.compat],
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

/** The location of the APIs: a full address, or a path if the address is not known. */
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
