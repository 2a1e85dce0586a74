/** The kinds that the console lists, in the order of its navigation. The names are those of the groups of the typed client. */
import type { ChangedKind } from '../../src/client/index.ts';
import { type Preview, previewing } from '../../src/client/index.ts';
import { client } from './session.ts';

export interface KindView {
  /** The group of the typed client. */
  readonly group: string;
  readonly label: string;
  readonly one: string;
  /** Columns after the name. Default: what the first entities have. */
  readonly columns?: readonly string[];
  /** The kind in the change log. */
  readonly kind?: ChangedKind;
}

export interface Section {
  readonly label: string;
  readonly kinds: readonly KindView[];
}

export const sections: readonly Section[] = [
  {
    label: 'Access',
    kinds: [
      {
        group: 'identities',
        kind: 'identity',
        label: 'Identities',
        one: 'identity',
        columns: ['type', 'roleAttributes', 'isAdmin', 'disabled', 'hasEdgeRouterConnection', 'updatedAt'],
      },
      {
        group: 'services',
        kind: 'service',
        label: 'Services',
        one: 'service',
        columns: ['roleAttributes', 'encryptionRequired', 'terminatorStrategy', 'updatedAt'],
      },
      {
        group: 'servicePolicies',
        kind: 'servicePolicy',
        label: 'Service policies',
        one: 'service policy',
        columns: ['type', 'semantic', 'identityRoles', 'serviceRoles', 'updatedAt'],
      },
      {
        group: 'edgeRouterPolicies',
        kind: 'edgeRouterPolicy',
        label: 'Router policies',
        one: 'edge router policy',
        columns: ['semantic', 'identityRoles', 'edgeRouterRoles', 'updatedAt'],
      },
      {
        group: 'serviceEdgeRouterPolicies',
        kind: 'serviceEdgeRouterPolicy',
        label: 'Service router policies',
        one: 'service edge router policy',
        columns: ['semantic', 'serviceRoles', 'edgeRouterRoles', 'updatedAt'],
      },
      {
        group: 'postureChecks',
        kind: 'postureCheck',
        label: 'Posture checks',
        one: 'posture check',
        columns: ['typeId', 'roleAttributes', 'updatedAt'],
      },
      { group: 'policyTests', kind: 'policyTest', label: 'Policy tests', one: 'policy test' },
    ],
  },
  {
    label: 'Fabric',
    kinds: [
      {
        group: 'edgeRouters',
        kind: 'edgeRouter',
        label: 'Edge routers',
        one: 'edge router',
        columns: ['isOnline', 'isVerified', 'roleAttributes', 'hostname', 'updatedAt'],
      },
      { group: 'transitRouters', kind: 'router', label: 'Transit routers', one: 'transit router' },
      {
        group: 'terminators',
        kind: 'terminator',
        label: 'Terminators',
        one: 'terminator',
        columns: ['service', 'router', 'binding', 'address', 'cost', 'updatedAt'],
      },
      { group: 'configs', kind: 'config', label: 'Configs', one: 'config', columns: ['configType', 'updatedAt'] },
      { group: 'configTypes', kind: 'configType', label: 'Config types', one: 'config type', columns: ['target', 'updatedAt'] },
      { group: 'controllers', label: 'Controllers', one: 'controller', columns: ['isOnline', 'ctrlAddress', 'lastJoinedAt'] },
    ],
  },
  {
    label: 'Credentials',
    kinds: [
      { group: 'authPolicies', kind: 'authPolicy', label: 'Auth policies', one: 'auth policy', columns: ['updatedAt'] },
      {
        group: 'authenticators',
        kind: 'authenticator',
        label: 'Authenticators',
        one: 'authenticator',
        columns: ['method', 'identity', 'username', 'updatedAt'],
      },
      { group: 'enrollments', kind: 'enrollment', label: 'Enrollments', one: 'enrollment', columns: ['method', 'identity', 'expiresAt'] },
      {
        group: 'cas',
        kind: 'ca',
        label: 'Authorities',
        one: 'certificate authority',
        columns: ['isVerified', 'isAuthEnabled', 'fingerprint', 'updatedAt'],
      },
      {
        group: 'externalJwtSigners',
        kind: 'externalJwtSigner',
        label: 'Identity providers',
        one: 'external JWT signer',
        columns: ['enabled', 'issuer', 'audience', 'updatedAt'],
      },
      { group: 'apiTokens', kind: 'apiToken', label: 'API tokens', one: 'API token' },
    ],
  },
  {
    label: 'Activity',
    kinds: [
      {
        group: 'apiSessions',
        label: 'API sessions',
        one: 'API session',
        columns: ['identity', 'ipAddress', 'lastActivityAt', 'createdAt'],
      },
      { group: 'sessions', label: 'Sessions', one: 'session', columns: ['type', 'service', 'createdAt'] },
      { group: 'revocations', kind: 'revocation', label: 'Revocations', one: 'revocation', columns: ['type', 'expiresAt'] },
    ],
  },
];

const all = sections.flatMap(({ kinds }) => kinds);

export const kindOf = (group: string): KindView | undefined => all.find((kind) => kind.group === group);

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

export interface EntityPage {
  readonly data: readonly Entity[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly totalCount: number };
  readonly filterableFields?: readonly string[];
}

/** The operations that groups have in common. Not every group has every verb: ask `Session.may` first. */
export interface EntityApi {
  readonly list: (input: object, options?: { readonly signal?: AbortSignal }) => Promise<EntityPage>;
  readonly get: (input: { readonly id: string }, options?: { readonly signal?: AbortSignal }) => Promise<Entity>;
  readonly create: (input: { readonly body: object }, options?: object) => Promise<{ readonly id: string }>;
  readonly patch: (input: { readonly id: string; readonly body: object }, options?: object) => Promise<unknown>;
  readonly delete: (input: { readonly id: string }, options?: object) => Promise<unknown>;
}

/** The operations on the entities of a group, whose types the page does not know: it follows their schemas. */
export const entityApi = (group: string): EntityApi => (client as unknown as Readonly<Record<string, EntityApi>>)[group] as EntityApi; // the table `sections` has its names

/** The group of a kind of the change log; undefined for what the console does not list. */
export const groupOfKind = (name: string): string | undefined => all.find(({ kind }) => kind === name)?.group;

type Previewed<F> = F extends (...args: infer A) => Promise<infer O> ? (...args: A) => Promise<Preview<O>> : never;

/** The same operations, which tell what they would do instead of doing it. */
export const previewOf = (group: string): { readonly [V in 'create' | 'patch' | 'delete']: Previewed<EntityApi[V]> } =>
  Reflect.get(previewing(client), group); // the table `sections` has its names

/** What an entity is called: its name, or its id. */
export const titleOf = ({ id, name }: Entity): string => (typeof name === 'string' && name.trim() !== '' ? name : id);
