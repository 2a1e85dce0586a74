/** Random sets of changes to a network with few attributes, so that entities and policies meet often. */
import fc from 'fast-check';
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

const ATTRIBUTES = ['a', 'b', 'c'];
const END = ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];

const attributes = fc.uniqueArray(fc.constantFrom(...ATTRIBUTES), { maxLength: 2 });
/** Ids are those of the first entities: `@2` is the third of its kind. */
const roles = fc.oneof(
  { weight: 1, arbitrary: fc.constant(['#all']) },
  { weight: 5, arbitrary: fc.uniqueArray(fc.constantFrom('#a', '#b', '#c', '#d', '@0', '@1', '@2'), { maxLength: 3 }) },
);
const semantic = fc.constantFrom('AllOf', 'AnyOf');
const grants = fc.option(
  fc.dictionary(
    fc.constantFrom(...ATTRIBUTES),
    fc.constantFrom(...END).map((validUntil) => ({ validUntil })),
  ),
);

const fieldsOf = {
  identity: fc.record({ roleAttributes: attributes, roleAttributeGrants: grants }),
  service: fc.record({ roleAttributes: attributes }),
  edgeRouter: fc.record({ roleAttributes: attributes, isEdgeRouter: fc.constant(true) }),
  postureCheck: fc.record({
    roleAttributes: attributes,
    typeId: fc.constant('DOMAIN'),
    domains: fc.constantFrom(['x.test'], ['y.test']),
  }),
  servicePolicy: fc.record({
    type: fc.constantFrom('Dial', 'Bind'),
    semantic,
    identityRoles: roles,
    serviceRoles: roles,
    postureCheckRoles: fc.oneof(fc.constant([]), roles),
    validUntil: fc.option(fc.constantFrom(...END)),
  }),
  edgeRouterPolicy: fc.record({ semantic, identityRoles: roles, edgeRouterRoles: roles }),
  serviceEdgeRouterPolicy: fc.record({ semantic, serviceRoles: roles, edgeRouterRoles: roles }),
};
const kinds = { identity, service, edgeRouter, postureCheck, servicePolicy, edgeRouterPolicy, serviceEdgeRouterPolicy } as const;
type Changed = keyof typeof kinds;

export interface RandomChange {
  readonly kind: Changed;
  readonly verb: 'create' | 'update' | 'delete';
  /** Which entity of the kind, modulo their number. */
  readonly at: number;
  readonly fields: object;
}

const changeOf = (kind: Changed): fc.Arbitrary<RandomChange> =>
  fc.record({
    kind: fc.constant(kind),
    verb: fc.constantFrom('create', 'update', 'update', 'update', 'delete'),
    at: fc.nat(20),
    fields: fieldsOf[kind],
  });

/** A set of changes, of which several may be of one entity. */
export const randomChanges = fc.array(
  fc.oneof(...(Object.keys(kinds) as Changed[]).map((kind) => ({ weight: kind === 'servicePolicy' ? 3 : 1, arbitrary: changeOf(kind) }))),
  { minLength: 1, maxLength: 4 },
);

const named = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      field.endsWith('Roles')
        ? value.map((role: string) => (role.startsWith('@') ? `@${field.replace('Roles', '')}-${role.slice(1)}` : role))
        : value,
    ]),
  );

/** Names are in the order of ids, and ids are such that roles can name them. */
let serial = 0;

/** Writes beneath the operations, which would refuse some of these states. */
export const applyChange = async (entities: Entities, { kind: name, verb, at, fields }: RandomChange): Promise<void> => {
  const kind: Kind = kinds[name];
  const rows = await entities.list(kind, { where: { op: 'all' } });
  const row = rows[at % Math.max(rows.length, 1)];
  const given = named(fields);
  // Rows as the store takes them; only the fields that policies and their readers use.
  if (verb === 'delete' && row && rows.length > 2) await entities.remove(kind, row as never);
  else if (verb === 'update' && row) await entities.update(kind, row as never, given as never);
  else if (verb !== 'delete' && rows.length < 8) {
    const id = [0, 1, 2].map((n) => `${name}-${n}`).find((free) => rows.every((each) => (each as { id: string }).id !== free));
    await entities.insert(kind, { name: `${name} ${++serial}`, ...(id ? { id } : {}), ...given } as never);
  }
};
