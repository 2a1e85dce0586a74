/** The whole access matrix of a state, computed naively: every identity against every service and every policy. */
import {
  edgeRouter,
  edgeRouterPolicy,
  identity,
  postureCheck,
  service,
  serviceEdgeRouterPolicy,
  servicePolicy,
} from '../../src/contract/api/kinds.ts';
import type { Kind } from '../../src/contract/api/kit/resource.ts';
import type { Entities } from '../../src/store/entities/entities.ts';

interface AnyRow {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

const all = async (entities: Entities, kind: Kind) => (await entities.list(kind, { where: { op: 'all' } })) as unknown as readonly AnyRow[]; // all kinds here have names

const selected = (semantic: unknown, roles: unknown, { id, roleAttributes }: AnyRow): boolean => {
  const list = roles as readonly string[];
  const attributes = list.filter((role) => role.startsWith('#') && role !== '#all').map((role) => role.slice(1));
  const has = (attribute: string) => (roleAttributes as readonly string[]).includes(attribute);
  return (
    list.includes('#all') ||
    list.includes(`@${id}`) ||
    (attributes.length > 0 && (semantic === 'AllOf' ? attributes.every(has) : attributes.some(has)))
  );
};

/**
 * By `left right type`, with ids: the conditions under which each policy that relates them does, sorted; empty for one that asks for
 * nothing.
 */
export type Matrix = ReadonlyMap<string, readonly string[]>;

/** When the attributes by which a policy selects an identity end. */
const attributesEnd = (policy: AnyRow, who: AnyRow): string => {
  const grants = (who.roleAttributeGrants ?? {}) as Readonly<Record<string, { readonly validUntil: string }>>;
  const roles = policy.identityRoles as readonly string[];
  if (roles.includes('#all') || roles.includes(`@${who.id}`)) return '';
  const ends = (who.roleAttributes as readonly string[]).flatMap((each) =>
    roles.includes(`#${each}`) ? [grants[each]?.validUntil ?? ''] : [],
  );
  const timed = ends.filter((end) => end !== '').sort();
  return (policy.semantic === 'AllOf' ? timed[0] : ends.includes('') ? '' : timed.at(-1)) ?? '';
};

export const accessMatrix = async (entities: Entities): Promise<Matrix> => {
  const [identities, services, policies, checks] = [
    await all(entities, identity),
    await all(entities, service),
    await all(entities, servicePolicy),
    await all(entities, postureCheck),
  ];
  const matrix = new Map<string, string[]>();
  for (const policy of policies) {
    const { semantic, identityRoles, serviceRoles, postureCheckRoles, validUntil, type } = policy;
    const asked = checks
      .filter((check) => selected(semantic, postureCheckRoles, check))
      .map(({ id, typeId, domains }) => JSON.stringify({ id, typeId, domains }))
      .join();
    for (const who of identities.filter((each) => selected(semantic, identityRoles, each)))
      for (const what of services.filter((each) => selected(semantic, serviceRoles, each))) {
        const key = `${who.id} ${what.id} ${type}`;
        const end = [String(validUntil ?? ''), attributesEnd(policy, who)].filter((each) => each !== '').sort()[0] ?? '';
        matrix.set(key, [...(matrix.get(key) ?? []), end + asked]);
      }
  }
  return settled(matrix);
};

/** The pairs of entities that policies without conditions relate. */
const plainMatrix = async (entities: Entities, kinds: readonly [Kind, Kind, Kind], from: string, to: string): Promise<Matrix> => {
  const [policies = [], lefts = [], rights = []] = [
    await all(entities, kinds[0]),
    await all(entities, kinds[1]),
    await all(entities, kinds[2]),
  ];
  const matrix = new Map<string, string[]>();
  for (const policy of policies)
    for (const left of lefts.filter((each) => selected(policy.semantic, policy[from], each)))
      for (const right of rights.filter((each) => selected(policy.semantic, policy[to], each))) {
        const key = `${left.id} ${right.id} `;
        matrix.set(key, [...(matrix.get(key) ?? []), from === 'identityRoles' ? attributesEnd(policy, left) : '']);
      }
  return settled(matrix);
};

/** One way without conditions makes the conditions of the others irrelevant. */
const settled = (matrix: ReadonlyMap<string, readonly string[]>): Matrix =>
  new Map([...matrix].map(([key, conditions]) => [key, conditions.includes('') ? [''] : [...new Set(conditions)].sort()]));

export const routersOfIdentitiesMatrix = (entities: Entities) =>
  plainMatrix(entities, [edgeRouterPolicy, identity, edgeRouter], 'identityRoles', 'edgeRouterRoles');
export const routersOfServicesMatrix = (entities: Entities) =>
  plainMatrix(entities, [serviceEdgeRouterPolicy, service, edgeRouter], 'serviceRoles', 'edgeRouterRoles');

/** `effect left right type` of each entry in which two matrices differ, sorted. */
export const matrixDifference = (before: Matrix, after: Matrix): readonly string[] =>
  [
    ...[...after.keys()].filter((key) => !before.has(key)).map((key) => `gained ${key}`),
    ...[...before].flatMap(([key, conditions]) => {
      const now = after.get(key);
      return now === undefined ? [`lost ${key}`] : String(now) === String(conditions) ? [] : [`changed ${key}`];
    }),
  ].sort();
