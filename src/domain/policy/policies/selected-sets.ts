/**
 * Filters on the `identities` and `services` of a service policy. These sets are not stored: what a policy selects follows from its
 * roles. A condition on ids is rewritten to a condition on roles; any other condition takes a query for each policy.
 */
import { identity, service, servicePolicy } from '../../../api/kinds.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, ELEMENT, type FieldRef, NONE, not, oneOf, or, type Predicate, rewrite, stringField } from '../../../query/index.ts';
import { visibleOf } from '../../../resources/granted.ts';
import { selectedBy, selecting } from '../roles/membership.ts';
import { sideOf } from './traversal.ts';

type OfSet = Extract<Predicate, { readonly set: string }>;

interface Selected {
  readonly field: 'identityRoles' | 'serviceRoles';
  readonly kind: typeof identity | typeof service;
}

const sets: ReadonlyMap<string, Selected> = new Map([
  ['identities', { field: 'identityRoles', kind: identity }],
  ['services', { field: 'serviceRoles', kind: service }],
]);

/** Only entities that the caller may see count as selected. */
export const resolveSelected = (entities: Entities, where: Predicate, call: Call): Promise<Predicate> =>
  rewrite(where, async (node) => {
    const selected = 'set' in node ? sets.get(node.set) : undefined;
    return selected ? resolved(entities, node as OfSet, selected, await visibleOf(entities, selected.kind, call)) : node; // only nodes about a set have `set`
  });

const resolved = async (entities: Entities, node: OfSet, selected: Selected, visible: Predicate): Promise<Predicate> => {
  if (node.op !== 'overlaps' && node.op !== 'covers') return resolvedOneByOne(entities, node, selected, visible);
  const rows = await entities.list(selected.kind, { where: and(oneOf(stringField('id'), node.values), visible) });
  const found = new Map(rows.map((row) => [row.id, row]));
  const terms = node.values.map((id) => {
    const row = found.get(id);
    return row ? selecting(selected.field, row) : NONE;
  });
  return (node.op === 'overlaps' ? or : and)(...terms);
};

const resolvedOneByOne = async (entities: Entities, node: OfSet, { field, kind }: Selected, visible: Predicate): Promise<Predicate> => {
  const ids: string[] = [];
  for (const policy of await entities.list(servicePolicy, { where: { op: 'all' } })) {
    const members = and(await selectedBy([sideOf(policy, field)]), visible);
    if (await holds(node, (which) => entities.count(kind, and(members, which)))) ids.push(policy.id);
  }
  return oneOf(stringField('id'), ids);
};

type Count = (which: Predicate) => Promise<number>;

const holds = async (node: OfSet, count: Count): Promise<boolean> => {
  switch (node.op) {
    case 'size':
      return compare(await count(node.of?.where ?? { op: 'all' }), node.is, node.value);
    case 'some':
      return (await count(ofId(node.where))) > 0;
    case 'coveredBy':
      return (await count(not(oneOf(stringField('id'), node.values)))) === 0;
    case 'overlaps':
      return (await count(oneOf(stringField('id'), node.values))) > 0;
    case 'covers':
      return (await count(oneOf(stringField('id'), node.values))) === new Set(node.values).size;
  }
};

const compare = (size: number, is: '=' | '<' | '<=' | '>' | '>=', value: number): boolean =>
  is === '=' ? size === value : is === '<' ? size < value : is === '<=' ? size <= value : is === '>' ? size > value : size >= value;

/** Rewrites a predicate on the elements of a set, which are ids, to a predicate on entities. */
const ofId = (where: Predicate): Predicate => {
  if (where.op === 'and' || where.op === 'or') return { op: where.op, terms: where.terms.map(ofId) };
  if (where.op === 'not') return not(ofId(where.term));
  return 'field' in where && isElement(where.field) ? { ...where, field: stringField('id') } : where;
};

const isElement = ({ path }: FieldRef): boolean => path[0] === ELEMENT.path[0];
