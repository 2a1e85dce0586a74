/**
 * How the admin console asks: its query strings, and the fields that each of its forms sends back when it saves.
 * Facts about requests, so that what its pages need is tested without it.
 */
import type { Answer, App } from './app.ts';

interface Asked {
  /** Default 50 on pages that list a kind, 100 where one is chosen from; -1 where all are loaded. */
  readonly limit?: number;
  readonly page?: number;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
  /** Conditions of the filter language. */
  readonly filters?: readonly string[];
}

/** The query of a list. With conditions the filter comes first, begins with a blank, and `sort` has two. */
export const consoleQuery = ({ limit = 100, page = 1, sort = 'name', order = 'asc', filters = [] }: Asked = {}): string => {
  const offset = (page - 1) * limit;
  const query =
    filters.length === 0
      ? `limit=${limit}&offset=${offset}&sort=${sort} ${order}`
      : `filter= ${filters.join(' and ')}&limit=${limit}&offset=${offset}&sort=${sort}  ${order}`;
  return `?${query.replaceAll(' ', '%20').replaceAll('"', '%22').replaceAll('#', '%23').replaceAll('<', '%3C').replaceAll('>', '%3E')}`;
};

const contains = (field: string, text: string) => `${field} icontains "${text}"`;
const carries = (...words: readonly string[]) => words.map((word) => `anyOf(roleAttributes) = "${word}"`).join(' or ');

/** A GET of a page, and how many entities of the network of the test it must show. */
export interface PageRequest {
  readonly path: string;
  readonly count: number;
}

const list = (collection: string, count: number, asked: Asked = {}): PageRequest => ({
  path: `/${collection}${consoleQuery({ limit: 50, ...asked })}`,
  count,
});
/** What is chosen from in forms, and what is counted beside them. */
const choice = (collection: string, count: number, asked: Asked = {}): PageRequest => ({
  path: `/${collection}${consoleQuery(asked)}`,
  count,
});
/** A list below an entity: with a slash at its end. */
const below = (parent: string, collection: string, count: number, asked?: Asked): PageRequest => ({
  path: `/${parent}/${collection}/${asked ? consoleQuery(asked) : ''}`,
  count,
});

/** The ids of the network that the pages show. */
export interface Shown {
  readonly identity: string;
  readonly service: string;
  readonly router: string;
  readonly config: string;
  readonly configType: string;
  readonly servicePolicy: string;
  readonly routerPolicy: string;
  readonly serviceRouterPolicy: string;
}

const attributeLists: readonly PageRequest[] = [
  choice('identity-role-attributes', 2),
  choice('service-role-attributes', 1),
  choice('edge-router-role-attributes', 1),
  choice('posture-check-role-attributes', 1),
];

/** What each page asks for when it is opened, sorted, searched and paged. */
export const pages = (ids: Shown): Readonly<Record<string, readonly PageRequest[]>> => ({
  dashboard: [choice('network-jwts', 1)],
  identities: [
    list('identities', 3),
    list('identities', 3, { sort: 'createdAt', order: 'desc' }),
    list('identities', 3, { sort: 'isAdmin', order: 'desc' }),
    list('identities', 3, { page: 2 }),
    list('identities', 3, { limit: -1 }),
    list('identities', 1, { filters: [contains('name', 'ANN')] }),
    list('identities', 1, { filters: ['isAdmin=true'] }),
    list('identities', 2, { filters: [carries('sales', 'ops')] }),
    list('identities', 1, { filters: [contains('name', 'BO'), 'isAdmin=false', carries('ops')] }),
    list('identities', 0, {
      filters: ['createdAt >= datetime(2020-01-01T00:00:00.000Z) and createdAt <= datetime(2020-01-31T23:59:59.999Z)'],
    }),
    choice('identity-role-attributes', 2),
    choice('auth-policies', 1),
    choice('cas', 1),
    below(`identities/${ids.identity}`, 'services', 1, {}),
    below(`identities/${ids.identity}`, 'service-policies', 2, {}),
    choice(`identities/${ids.identity}/service-configs`, 1),
    choice(`identities/${ids.identity}/services`, 1, { limit: 300 }),
    choice(`identities/${ids.identity}/edge-routers`, 1),
  ],
  services: [
    list('services', 1),
    list('services', 1, { sort: 'createdAt', order: 'desc' }),
    list('services', 1, { filters: [contains('name', 'we')] }),
    list('services', 1, { filters: [carries('web')] }),
    list('services', 0, { limit: 100, filters: ['name = "other"'] }),
    choice('service-role-attributes', 1),
    choice('config-types', 10),
    choice('configs', 1, { limit: 30, order: 'desc' }),
    choice('configs', 1, { filters: [`type = "${ids.configType}"`] }),
    below(`services/${ids.service}`, 'configs', 1),
    below(`services/${ids.service}`, 'service-policies', 2, { limit: 5 }),
    below(`services/${ids.service}`, 'service-policies', 1, { limit: 5, filters: [contains('name', 'CHECK')] }),
    below(`services/${ids.service}`, 'terminators', 1, { limit: 5, sort: 'createdAt' }),
    below(`services/${ids.service}`, 'terminators', 1, { limit: 5, sort: 'createdAt', filters: [contains('service.name', 'we')] }),
    choice(`services/${ids.service}/service-edge-router-policies`, 1),
  ],
  configs: [
    list('configs', 1),
    list('configs', 1, { sort: 'type' }),
    list('configs', 1, { filters: [`type = "${ids.configType}"`] }),
    choice('config-types', 10, { limit: 50 }),
    below(`configs/${ids.config}`, 'services', 1, {}),
  ],
  'config types': [list('config-types', 10), below(`config-types/${ids.configType}`, 'configs', 1)],
  'edge routers': [
    list('edge-routers', 1),
    list('edge-routers', 1, { filters: [carries('public')] }),
    list('edge-routers', 1, { filters: ['isVerified=false'] }),
    choice('edge-router-role-attributes', 1),
    below(`edge-routers/${ids.router}`, 'services', 1, {}),
    below(`edge-routers/${ids.router}`, 'identities', 1, {}),
  ],
  'transit routers': [list('transit-routers', 2), choice('routers', 2, { limit: -1 })],
  'service policies': [
    list('service-policies', 2),
    list('service-policies', 1, { filters: ['semantic = "AnyOf"'] }),
    list('service-policies', 2, { filters: ['type = "Dial"', 'type icontains "di"'] }),
    list('service-policies', 2, { filters: ['anyOf(identityRoles) = "#sales"'] }),
    list('service-policies', 1, { filters: [`anyOf(serviceRoles) = "@${ids.service}"`] }),
    ...attributeLists,
    choice('identities', 3, { limit: -1 }),
    choice('services', 1, { limit: -1 }),
    choice('posture-checks', 1),
    choice('services', 1, { filters: [carries('web')] }),
    choice('identities', 1, { filters: [contains('name', 'ann')] }),
    below(`service-policies/${ids.servicePolicy}`, 'services', 1, {}),
    below(`service-policies/${ids.servicePolicy}`, 'identities', 2, {}),
    below(`service-policies/${ids.servicePolicy}`, 'posture-checks', 1),
  ],
  'edge router policies': [
    list('edge-router-policies', 1),
    choice('edge-routers', 1),
    below(`edge-router-policies/${ids.routerPolicy}`, 'edge-routers', 1, {}),
    below(`edge-router-policies/${ids.routerPolicy}`, 'identities', 1, {}),
  ],
  'service edge router policies': [
    list('service-edge-router-policies', 1),
    below(`service-edge-router-policies/${ids.serviceRouterPolicy}`, 'edge-routers', 1),
    below(`service-edge-router-policies/${ids.serviceRouterPolicy}`, 'services', 1),
  ],
  'posture checks': [
    list('posture-checks', 1),
    list('posture-checks', 1, { filters: ['typeId = "OS"'] }),
    choice('posture-check-types', 6),
    choice('posture-check-role-attributes', 1),
  ],
  terminators: [
    list('terminators', 1, { sort: 'address' }),
    list('terminators', 1, { sort: 'service.name' }),
    list('terminators', 1, { sort: 'router.name', order: 'desc' }),
    list('terminators', 1, { sort: 'address', filters: [`service = "${ids.service}"`] }),
    list('terminators', 1, { sort: 'address', filters: [contains('router.name', 'ed')] }),
  ],
  'auth policies': [
    list('auth-policies', 1),
    list('auth-policies', 1, { sort: 'primary.updb.allowed' }),
    list('auth-policies', 1, { filters: ['primary.cert.allowed=true'] }),
    choice('external-jwt-signers', 1, { limit: -1 }),
  ],
  'JWT signers': [
    list('external-jwt-signers', 1),
    list('external-jwt-signers', 1, { sort: 'issuer' }),
    list('external-jwt-signers', 1, { filters: ['enabled=true'] }),
    { path: `/edge/client/v1/external-jwt-signers${consoleQuery()}`, count: 1 },
  ],
  'certificate authorities': [list('cas', 1), list('cas', 1, { filters: ['isVerified=false'] })],
  'API sessions': [list('api-sessions', 2, { sort: 'id' }), list('api-sessions', 2, { sort: 'createdAt', order: 'desc' })],
  sessions: [list('sessions', 1, { sort: 'id' }), list('sessions', 1, { sort: 'id', filters: ['type = "Dial"'] })],
  profile: [{ path: '/current-identity/authenticators?filter=method=%22updb%22', count: 1 }],
});

/** The fields that a form takes from what it loaded, and sends back when it saves. */
export const forms = {
  identities: 'name type appData isAdmin roleAttributes authPolicyId externalId defaultHostingCost defaultHostingPrecedence tags',
  services: 'name encryptionRequired terminatorStrategy roleAttributes tags configs maxIdleTimeMillis',
  configs: 'name data configTypeId tags',
  'config-types': 'name id schema tags',
  'edge-routers': 'name roleAttributes appData isTunnelerEnabled noTraversal cost tags',
  'transit-routers': 'name tags',
  'service-policies': 'name serviceRoles identityRoles postureCheckRoles semantic type tags',
  'edge-router-policies': 'name edgeRouterRoles identityRoles semantic tags',
  'service-edge-router-policies': 'name edgeRouterRoles serviceRoles semantic tags',
  'posture-checks':
    'name typeId semantic roleAttributes domains macAddresses operatingSystems processes process promptOnWake promptOnUnlock timeoutSeconds tags',
  'auth-policies': 'name id primary secondary tags',
  cas: 'name id isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled identityRoles identityNameFormat isAuthEnabled certPem externalIdClaim tags',
} as const;

/** These are replaced by PUT; all others are patched. */
const REPLACED: readonly string[] = ['auth-policies', 'cas', 'external-jwt-signers'];

/** Loads an entity as a form does, and saves it with what was changed in the form. */
export const openAndSave = async (
  app: App,
  collection: keyof typeof forms,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<Answer> => {
  const loaded = (await app.request('GET', `/${collection}/${id}//`)).body.data;
  const fields = forms[collection].split(' ').map((field) => [field, field === 'type' && loaded.type?.id ? loaded.type.id : loaded[field]]);
  return save(app, collection, id, { ...Object.fromEntries(fields), ...changes });
};

export const save = (app: App, collection: string, id: string, body: unknown): Promise<Answer> =>
  app.request(REPLACED.includes(collection) ? 'PUT' : 'PATCH', `/${collection}/${id}`, { body });
