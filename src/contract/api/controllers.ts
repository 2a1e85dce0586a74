import * as z from 'zod';
import { data, group, listQuery, operation, page, readOnly, resource, rightTo, string, timestamp } from './kit/index.ts';
import { boolean, name } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** The address of one version of an API. */
const apiAddress = z
  .object({
    /** Address of the API. */
    url: string,
    /** Version of the API, e.g. `v1`. */
    version: string,
  })
  .meta({ id: 'ApiAddress' });

export const controller = resource({
  kind: 'controller',
  collection: 'controllers',
  right: 'controllers',
  names: ['Controller', 'Controllers'],
  about:
    'Each controller with a name is listed here, for the other controllers of the network and for clients that fail over to another one.',
  fields: {
    name: readOnly(name, { unique: true, filter: true }),
    /** Addresses, by name of the API. */
    apiAddresses: readOnly(z.record(string, z.array(apiAddress)), { default: {} }),
    /** Certificate of the controller in PEM. */
    certPem: readOnly(string, { filter: true }),
    /** Address at which routers reach the controller. */
    ctrlAddress: readOnly(string, { filter: true }),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { filter: true }),
    /** True if the controller is running. */
    isOnline: readOnly(boolean, { keep: 'computed' }),
    /** True if the controller is preferred as leader. Always absent: controllers of a network share a store, and elect no leader. */
    isPreferredLeader: { ...readOnly(boolean, { keep: 'computed' }), absent: true, since: '2.0' },
    /** When the controller last started. */
    lastJoinedAt: readOnly(timestamp, { filter: true }),
    /** The compatible version that the controller announces, e.g. `v1.7.2`. */
    apiLevel: readOnly(string, { keep: 'hidden', default: '' }),
    /** Heartbeat deadline: until then, the controller is considered online. */
    onlineUntil: readOnly(timestamp, { keep: 'hidden', volatile: true, index: true }),
  },
  symbols: { isOnline: { path: 'isOnline', type: 'boolean' }, isPreferredLeader: { path: 'isPreferredLeader', type: 'boolean' } },
});

/** A controller as a member of a cluster. */
const clusterMember = z
  .object({
    /** Name of the controller. */
    id: string,
    /** Address at which routers reach the controller; empty if unknown. */
    address: string,
    /** Always true: every controller writes to the shared store. */
    voter: boolean,
    /** True for the controller that answers. Controllers elect no leader, so clients can write to any of them. */
    leader: boolean,
    /** The version that the controller announces; empty if unknown. */
    version: string,
    /** True if the controller is running. */
    connected: boolean,
    /** Always false. */
    readOnly: boolean,
  })
  .meta({ id: 'ClusterMember' });

const healthReason = z
  .object({
    concerns: z.enum(['database', 'migrations', 'lease', 'clock', 'certificate', 'address', 'changeLog', 'warmUp', 'backups']).meta({
      description:
        '`database`: the database does not respond, or writes to it fail; `migrations`: the database lacks migrations of this release, or a newer release has migrated it; `lease`: the membership was not renewed, so other controllers consider this one offline; `clock`: the clock is behind the latest change; `certificate`: the signing certificate or the server certificate has expired or expires within 14 days, or a certificate of the authority in the store expires within 90 days; `address`: `settings.address` is not set, so enrollment tokens cannot be created; `changeLog`: the log is full of records of callers without rights, so only records of administrators are retained for the full period; `warmUp`: the indexes are not complete, so answers take longer; `backups`: the last scheduled backup failed, or is more than two intervals old.',
    }),
    severity: z
      .enum(['error', 'warning'])
      .meta({ description: '`error`: the controller cannot work; `warning`: an operator should look into it.' }),
    message: string.meta({ description: 'A sentence for operators, without secrets.' }),
  })
  .meta({
    id: 'HealthReason',
    description: 'A reason why a controller cannot work, or a problem that an operator should look into.',
  });

const health = z
  .object({
    isHealthy: boolean.meta({ description: 'False if at least one reason is an error.' }),
    store: z.enum(['ready', 'away', 'superseded', 'outdated']).meta({
      description:
        'The state of the database. `ready`: it is in use; `away`: it does not respond; `superseded`: a newer release has migrated it, and this process cannot write until it is upgraded; `outdated`: it lacks migrations that this release needs.',
    }),
    reasons: z.array(healthReason).readonly().meta({ description: 'Errors and warnings; empty if there are none.' }),
  })
  .meta({ id: 'Health', description: 'The health of a controller.' });

/** {@link healthReason} */
export type HealthReason = Readonly<z.infer<typeof healthReason>>;
/** {@link health} */
export type Health = Readonly<z.infer<typeof health>>;

export const controllers = group('controllers', 'Controllers', {
  list: operation('GET', '/controllers', {
    operationId: 'listControllers',
    summary: 'List the named controllers of the network, including those that are offline',
    permission: rightTo('read', controller),
    everySession: 'onClientApi',
    presentOnly: true,
    surfaces: [surfaces.management, surfaces.client],
    query: listQuery,
    answer: page(controller.schemas.detail),
  }),
  listMembers: operation('GET', '/cluster/list-members', {
    operationId: 'clusterListMembers',
    summary: 'List the controllers of the network as members of a cluster; a controller without a name lists only itself',
    permission: rightTo('read', controller),
    acceptedPermissions: [],
    surfaces: [surfaces.fabric],
    answer: data(z.array(clusterMember)),
  }),
  getHealth: operation('GET', '/health', {
    operationId: 'controllerHealth',
    presentOnly: true,
    standalone: 'it checks the database in separate transactions',
    summary: 'Get the health of the controller that answers',
    permission: 'ops.read',
    surfaces: [surfaces.extensions],
    answer: data(health),
  }),
});
