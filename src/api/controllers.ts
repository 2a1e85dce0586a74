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
  about: 'A controller with a name is listed for the other controllers of the network, and for clients that need another one.',
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
    /** True if the controller is preferred as leader. Absent: controllers of one network share a store, and elect no leader. */
    isPreferredLeader: { ...readOnly(boolean, { keep: 'computed' }), absent: true, since: '2.0' },
    /** When the controller last started. */
    lastJoinedAt: readOnly(timestamp, { filter: true }),
    /** The level of compatibility that the controller announces as its version, e.g. `v1.7.2`. */
    apiLevel: readOnly(string, { keep: 'hidden', default: '' }),
    /** Heartbeat deadline: the controller counts as running until then. */
    onlineUntil: readOnly(timestamp, { keep: 'hidden', volatile: true, index: true }),
  },
  symbols: { isOnline: { path: 'isOnline', type: 'boolean' }, isPreferredLeader: { path: 'isPreferredLeader', type: 'boolean' } },
});

/** A controller as a member of a cluster. */
const clusterMember = z
  .object({
    /** Name of the controller. */
    id: string,
    /** Address at which routers reach it; empty: not known. */
    address: string,
    /** Always true: every controller writes to the shared store. */
    voter: boolean,
    /** True for the controller that answers. Controllers elect no leader, so clients need no other one for writing. */
    leader: boolean,
    /** The version that the controller announces; empty: not known. */
    version: string,
    /** True if the controller is running. */
    connected: boolean,
    /** Always false. */
    readOnly: boolean,
  })
  .meta({ id: 'ClusterMember' });

const healthReason = z
  .object({
    concerns: z.enum(['database', 'migrations', 'lease', 'clock', 'certificate', 'address', 'changeLog']).meta({
      description:
        '`database`: it does not respond; `migrations`: the database lacks migrations of this release, or a newer release has migrated it; `lease`: the membership was not renewed, so other controllers consider this one offline; `clock`: it is behind the latest change; `certificate`: the signing certificate, or that of the server, has expired or expires within 14 days, or a certificate of the authority in the store does within 90 days; `address`: `settings.address` is not set, so enrollment tokens cannot be created; `changeLog`: it is full of records of callers without rights, so that only what administrators did is kept for longer.',
    }),
    severity: z
      .enum(['error', 'warning'])
      .meta({ description: '`error`: the controller cannot work; `warning`: an operator should check it.' }),
    message: string.meta({ description: 'A sentence for operators, without secrets.' }),
  })
  .meta({ id: 'HealthReason', description: 'Why a controller cannot work (`error`), or what an operator should check (`warning`).' });

const health = z
  .object({
    isHealthy: boolean.meta({ description: 'False if at least one reason is an error.' }),
    store: z.enum(['ready', 'away', 'superseded', 'outdated']).meta({
      description:
        'Whether the database can be used. `away`: it does not respond; `superseded`: a newer release has migrated it, and this process cannot write until it is upgraded; `outdated`: it lacks migrations that this release needs.',
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
    summary: 'List the controllers of the network that have a name, those that are gone for a while included',
    permission: rightTo('read', controller),
    everySession: 'onClientApi',
    presentOnly: true,
    surfaces: [surfaces.management, surfaces.client],
    query: listQuery,
    answer: page(controller.schemas.detail),
  }),
  listMembers: operation('GET', '/cluster/list-members', {
    operationId: 'clusterListMembers',
    summary: 'List the controllers of the network as members of a cluster; one without a name lists only itself',
    permission: rightTo('read', controller),
    grantable: false,
    surfaces: [surfaces.fabric],
    answer: data(z.array(clusterMember)),
  }),
  getHealth: operation('GET', '/health', {
    operationId: 'controllerHealth',
    presentOnly: true,
    standalone: 'it examines the database in transactions of its own',
    summary: 'What is wrong with the controller that answers, or will be, in words',
    permission: 'ops.read',
    surfaces: [surfaces.extensions],
    answer: data(health),
  }),
});
