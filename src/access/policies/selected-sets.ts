/**
 * Filters on the `identities` and `services` of a service policy. These sets are not stored but computed from the roles of the policy. A
 * condition on ids is rewritten to a condition on roles; any other condition needs a query for each policy.
 */

import type { Call } from '../../call/call.ts';
import { granted } from '../../call/resources/granted.ts';
import { identity, service, servicePolicy } from '../../contract/api/kinds.ts';
import { ALL, and, ELEMENT, type FieldRef, NONE, not, oneOf, or, type Predicate, rewrite, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { selectedBy, selecting } from '../roles/membership.ts';
import { sideOf } from './traversal.ts';

type SetCondition = Extract<Predicate, { readonly set: string }>;

interface SelectedSet {
  readonly field: 'identityRoles' | 'serviceRoles';
  readonly kind: typeof identity | typeof service;
}

const sets: ReadonlyMap<string, SelectedSet> = new Map([
  ['identities', { field: 'identityRoles', kind: identity }],
  ['services', { field: 'serviceRoles', kind: service }],
]);

/** Rewrites conditions on selected entities to conditions on policies. Entities that the caller may not see are ignored. */
export const resolveSelectedSets = (entities: Entities, where: Predicate, call: Call): Promise<Predicate> =>
  rewrite(where, async (node) => {
    const selected = 'set' in node ? sets.get(node.set) : undefined;
    return selected ? resolveSet(entities, node as SetCondition, selected, await granted(entities, selected.kind, call)) : node; // only conditions on a set have `set`
  });

const resolveSet = async (entities: Entities, node: SetCondition, selected: SelectedSet, visible: Predicate): Promise<Predicate> => {
  if (node.op !== 'overlaps' && node.op !== 'covers') return resolvePerPolicy(entities, node, selected, visible);
  const rows = await entities.list(selected.kind, { where: and(oneOf(stringField('id'), node.values), visible) });
  const found = new Map(rows.map((row) => [row.id, row]));
  const terms = node.values.map((id) => {
    const row = found.get(id);
    return row ? selecting(selected.field, row) : NONE;
  });
  return (node.op === 'overlaps' ? or : and)(...terms);
};

const resolvePerPolicy = async (
  entities: Entities,
  node: SetCondition,
  { field, kind }: SelectedSet,
  visible: Predicate,
): Promise<Predicate> => {
  const ids: string[] = [];
  for (const policy of await entities.list(servicePolicy, { where: ALL })) {
    const members = and(await selectedBy([sideOf(policy, field)]), visible);
    if (await isMet(node, (where) => entities.count(kind, and(members, where)))) ids.push(policy.id);
  }
  return oneOf(stringField('id'), ids);
};

/** Counts the members of a set that satisfy a predicate. */
type CountMembers = (where: Predicate) => Promise<number>;

const isMet = async (node: SetCondition, count: CountMembers): Promise<boolean> => {
  switch (node.op) {
    case 'size':
      return COMPARISONS[node.is](await count(node.of?.where ?? ALL), node.value);
    case 'some':
      return (await count(onIdOf(node.where))) > 0;
    case 'coveredBy':
      return (await count(not(oneOf(stringField('id'), node.values)))) === 0;
    case 'overlaps':
      return (await count(oneOf(stringField('id'), node.values))) > 0;
    case 'covers':
      return (await count(oneOf(stringField('id'), node.values))) === new Set(node.values).size;
  }
};

const COMPARISONS: Readonly<Record<Extract<SetCondition, { readonly op: 'size' }>['is'], (size: number, value: number) => boolean>> = {
  '=': (size, value) => size === value,
  '<': (size, value) => size < value,
  '<=': (size, value) => size <= value,
  '>': (size, value) => size > value,
  '>=': (size, value) => size >= value,
};

/** Rewrites a predicate on the elements of a set, which are ids, to a predicate on entities. */
const onIdOf = (where: Predicate): Predicate => {
  if (where.op === 'and' || where.op === 'or') return { op: where.op, terms: where.terms.map(onIdOf) };
  if (where.op === 'not') return not(onIdOf(where.term));
  return 'field' in where && isElement(where.field) ? { ...where, field: stringField('id') } : where;
};

const isElement = ({ path }: FieldRef): boolean => path[0] === ELEMENT.path[0];
