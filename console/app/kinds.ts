/** The kinds that the console lists, in the order of its navigation, named by their groups in the typed client. */
import { type ChangedKind, type Client, type Preview, previewing } from '../../client/index.ts';
import type { IconName } from './parts/icon.tsx';
import { client } from './session.ts';
import { texts } from './texts.ts';

/** The groups that the console lists. */
type Group = keyof typeof texts.kinds;

interface Kind<G extends string> {
  /** The group of the typed client. */
  readonly group: G;
  /** Default: that of its section. */
  readonly icon?: IconName;
  /** Columns after the name. Default: derived from the first entity. */
  readonly columns?: readonly string[];
  /** The kind in the change log. */
  readonly kind?: ChangedKind;
  /** The fields that identify entities without names: texts, or references by the names of their entities. */
  readonly titledBy?: readonly string[];
  /** The ids in the list that are shown as the names of their entities, by the group of these entities. */
  readonly named?: Readonly<Record<string, string>>;
  /** The filterable texts that a search looks into. Default: the name. */
  readonly searched?: readonly string[];
  /** The filterable ids whose entities a search looks for, by the group of these entities. */
  readonly searchedBy?: Readonly<Record<string, string>>;
  /** The order of the list. Default: by name. */
  readonly order?: string;
}

export interface KindView extends Kind<string> {
  readonly icon: IconName;
  /** The name of its list. */
  readonly label: string;
  /** The name of one entity. */
  readonly singular: string;
}

interface SectionOf<K> {
  readonly label: string;
  readonly icon: IconName;
  readonly kinds: readonly K[];
}

export type Section = SectionOf<KindView>;

/** The groups with the operations `list` and `create`. */
type Managed = { [G in keyof Client]: Client[G] extends { readonly list: unknown; readonly create: unknown } ? G : never }[keyof Client];
/** The groups that the console does not list, because another group shows the same entities, or every identity manages its own. */
type Unlisted = 'routers' | 'fabricRouters' | 'fabricServices' | 'fabricTerminators' | 'currentApiTokens' | 'apiSessionCertificates';
type Missing<S extends readonly SectionOf<Kind<Group>>[]> = Exclude<Managed, S[number]['kinds'][number]['group'] | Unlisted>;

/** Adds the names, and the icon of the section to kinds without one. Does not compile unless the sections contain all groups; the error names the missing ones. */
const complete = <const S extends readonly SectionOf<Kind<Group>>[]>(
  complete: S & ([Missing<S>] extends [never] ? unknown : Missing<S>),
): readonly Section[] =>
  complete.map(({ label, icon, kinds }) => ({ label, icon, kinds: kinds.map((kind) => ({ icon, ...kind, ...texts.kinds[kind.group] })) }));

export const sections: readonly Section[] = complete([
  {
    label: texts.sections.access,
    icon: 'policy',
    kinds: [
      {
        group: 'identities',
        kind: 'identity',
        icon: 'person',
        columns: ['type', 'roleAttributes', 'isAdmin', 'disabled', 'hasEdgeRouterConnection', 'updatedAt'],
      },
      {
        group: 'services',
        kind: 'service',
        icon: 'service',
        columns: ['roleAttributes', 'encryptionRequired', 'terminatorStrategy', 'updatedAt'],
      },
      {
        group: 'servicePolicies',
        kind: 'servicePolicy',
        columns: ['type', 'semantic', 'identityRoles', 'serviceRoles', 'updatedAt'],
      },
      {
        group: 'edgeRouterPolicies',
        kind: 'edgeRouterPolicy',
        columns: ['semantic', 'identityRoles', 'edgeRouterRoles', 'updatedAt'],
      },
      {
        group: 'serviceEdgeRouterPolicies',
        kind: 'serviceEdgeRouterPolicy',
        columns: ['semantic', 'serviceRoles', 'edgeRouterRoles', 'updatedAt'],
      },
      {
        group: 'postureChecks',
        kind: 'postureCheck',
        columns: ['typeId', 'roleAttributes', 'updatedAt'],
      },
      {
        group: 'policyTests',
        kind: 'policyTest',
        columns: ['identityId', 'serviceId', 'expect', 'updatedAt'],
        named: { identityId: 'identities', serviceId: 'services' },
      },
    ],
  },
  {
    label: texts.sections.fabric,
    icon: 'router',
    kinds: [
      {
        group: 'edgeRouters',
        kind: 'edgeRouter',
        columns: ['isOnline', 'isVerified', 'roleAttributes', 'hostname', 'updatedAt'],
      },
      { group: 'transitRouters', kind: 'router' },
      {
        group: 'terminators',
        kind: 'terminator',
        icon: 'traffic',
        columns: ['router', 'binding', 'address', 'cost', 'updatedAt'],
        titledBy: ['service', 'address'],
        searched: ['service.name', 'router.name', 'address', 'binding'],
        order: 'service.name asc',
      },
      { group: 'configs', kind: 'config', icon: 'config', columns: ['configType', 'updatedAt'] },
      { group: 'configTypes', kind: 'configType', icon: 'config', columns: ['target', 'updatedAt'] },
      { group: 'controllers', icon: 'service', columns: ['isOnline', 'ctrlAddress', 'lastJoinedAt'] },
    ],
  },
  {
    label: texts.sections.credentials,
    icon: 'lock',
    kinds: [
      { group: 'authPolicies', kind: 'authPolicy', columns: ['updatedAt'] },
      {
        group: 'authenticators',
        kind: 'authenticator',
        columns: ['method', 'username', 'updatedAt'],
        titledBy: ['identity', 'username', 'method'],
        searched: ['updbUsername', 'method', 'certFingerprint'],
        searchedBy: { identity: 'identities' },
        order: 'updatedAt desc',
      },
      {
        group: 'enrollments',
        kind: 'enrollment',
        columns: ['method', 'expiresAt', 'createdAt'],
        titledBy: ['identity', 'edgeRouter', 'transitRouter', 'method'],
        searched: [],
        searchedBy: { identity: 'identities', edgeRouter: 'edgeRouters', transitRouter: 'transitRouters', caId: 'cas' },
        order: 'createdAt desc',
      },
      {
        group: 'cas',
        kind: 'ca',
        columns: ['isVerified', 'isAuthEnabled', 'fingerprint', 'updatedAt'],
      },
      {
        group: 'externalJwtSigners',
        kind: 'externalJwtSigner',
        columns: ['enabled', 'issuer', 'audience', 'updatedAt'],
      },
      { group: 'apiTokens', kind: 'apiToken', searchedBy: { identity: 'identities' } },
    ],
  },
  {
    label: texts.sections.activity,
    icon: 'activity',
    kinds: [
      {
        group: 'apiSessions',
        columns: ['clientId', 'ipAddress', 'lastActivityAt', 'createdAt'],
        titledBy: ['identity', 'ipAddress'],
        searched: ['ipAddress'],
        searchedBy: { identity: 'identities' },
        order: 'createdAt desc',
      },
      {
        group: 'sessions',
        columns: ['type', 'identityId', 'createdAt'],
        titledBy: ['service', 'type'],
        named: { identityId: 'identities' },
        searched: ['type'],
        searchedBy: { service: 'services', apiSession: 'apiSessions' },
        order: 'createdAt desc',
      },
      {
        group: 'revocations',
        kind: 'revocation',
        columns: ['type', 'expiresAt', 'createdAt'],
        titledBy: ['id'],
        named: { id: 'identities' },
        searched: ['id', 'type'],
        searchedBy: { id: 'identities' },
        order: 'createdAt desc',
      },
    ],
  },
]);

const kinds = sections.flatMap((section) => section.kinds);

export const kindOf = (group: string): KindView | undefined => kinds.find((kind) => kind.group === group);

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

export interface EntityPage {
  readonly data: readonly Entity[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly totalCount: number };
  readonly filterableFields?: readonly string[];
}

/** The operations that groups have in common. Not every group has every verb: check `Session.may` first. */
export interface EntityApi {
  readonly list: (input: object, options?: { readonly signal?: AbortSignal }) => Promise<EntityPage>;
  readonly get: (input: { readonly id: string }, options?: { readonly signal?: AbortSignal }) => Promise<Entity>;
  readonly create: (input: { readonly body: object }, options?: object) => Promise<{ readonly id: string }>;
  readonly patch: (input: { readonly id: string; readonly body: object }, options?: object) => Promise<unknown>;
  readonly replace: (input: { readonly id: string; readonly body: object }, options?: object) => Promise<unknown>;
  readonly delete: (input: { readonly id: string }, options?: object) => Promise<unknown>;
}

/** Groups whose entities another group has completely: the API sessions of OpenID logins, such as those of this console. */
const COMPLETE: Readonly<Record<string, string>> = { apiSessions: 'liveApiSessions' };

/** The operations on the entities of a group. Their fields are untyped, because pages are derived from the schemas at run time. */
export const entityApi = (group: string): EntityApi => Reflect.get(client, COMPLETE[group] ?? group); // the table `sections` has the names

/** The group of a collection, e.g. `authPolicies` for `auth-policies`. The page of any router is among the transit routers. */
export const groupOfCollection = (collection: string): string =>
  collection === 'routers' ? 'transitRouters' : collection.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The group of a kind of the change log; undefined for a kind that the console does not list. */
export const groupOfKind = (name: string): string | undefined => kinds.find(({ kind }) => kind === name)?.group;

type Previewed<F> = F extends (...args: infer A) => Promise<infer O> ? (...args: A) => Promise<Preview<O>> : never;

/** The same operations, which only report their effect. */
export const previewOf = (group: string): { readonly [V in 'create' | 'patch' | 'replace' | 'delete']: Previewed<EntityApi[V]> } =>
  Reflect.get(previewing(client), COMPLETE[group] ?? group); // the table `sections` has its names

/** The name of an entity, or what identifies it. */
export const titleOf = (entity: Entity, kind?: KindView): string => identifiersOf(entity, kind).join(' · ');

/** The texts that identify an entity: its name, the fields that its kind has instead, or its id. */
export const identifiersOf = (entity: Entity, { titledBy = [] }: Pick<KindView, 'titledBy'> = {}): readonly string[] => {
  const texts = ['name', ...titledBy].map((field) => textIn(entity[field])).filter((text) => text !== '');
  return texts.length > 0 ? texts : [entity.id];
};

/** A text, or the name in a reference. */
const textIn = (value: unknown): string => {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : value;
  return typeof text === 'string' ? text.trim() : '';
};
