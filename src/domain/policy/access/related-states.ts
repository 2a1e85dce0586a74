/**
 * Gathers what the exact difference between two states of a relation depends on, from the later state and the changes that led to it. Only what the changes
 * can touch is read: the entities that were written, those that written policies select, and those that policies select that gained or lost an entity that was written.
 */
import { postureCheck } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, and, idAfter, type Predicate } from '../../../query/index.ts';
import type { Row } from '../../../storage/port.ts';
import { maybeSelecting, type Selectable, type Side, selectedBy, selects } from '../roles/membership.ts';
import { endOf } from './conditions.ts';
import { differsIn } from './deciding-fields.ts';
import type { RelatedRow, RowInBoth } from './groups.ts';
import { type InBoth, type NetChanges, orderKeys, statesIn } from './net-changes.ts';
import type { RelatedStates } from './pairs.ts';
import { accessRelation, type PolicyRelation } from './relations.ts';
import { idOf, isSameCheck, type PolicyRow, policySide, policyStates, sidesOf, writtenOf } from './written.ts';

/** The entities that count. Both predicates must be such that they can be evaluated on a change record. Default: all. */
export interface Within {
  readonly left: (row: Readonly<Record<string, unknown>>) => boolean;
  readonly right: (row: Readonly<Record<string, unknown>>) => boolean;
}

const EVERYTHING: Within = { left: () => true, right: () => true };

/** Number of rows that are read at a time. */
const BATCH = 1000;
/** Up to this many entities, the policies that select them are read, and otherwise all policies. */
const MAX_SELECTED = 200;

/**
 * @param entities the later state
 * @param changes what was written between the two states
 */
export const relatedStates = async (
  entities: Entities,
  relation: PolicyRelation,
  changes: NetChanges,
  within: Within = EVERYTHING,
): Promise<RelatedStates> => {
  const moved = { left: movedOf(changes, relation.left, within.left), right: movedOf(changes, relation.right, within.right) };
  const { left, right } = relation;
  const checks = relation === accessRelation ? writtenOf(changes, postureCheck, isSameCheck) : [];
  const rows = writtenOf(changes, relation.policies, () => false);
  const byChecks = await policiesOfChecks(entities, relation.policies, checks, rows);
  const ofMoved = {
    left: await policiesOfMoved(entities, relation, 'left', moved.left, rows),
    right: await policiesOfMoved(entities, relation, 'right', moved.right, rows),
  };
  const written = [...statesIn(rows), ...byChecks];
  const [byLeft, byRight] = [
    [...written, ...ofMoved.right.differing],
    [...written, ...ofMoved.left.differing],
  ];
  const lefts = [...moved.left, ...(await sameInBoth(entities, left, sidesOf(byLeft, relation.from), changes(left), within.left))];
  const rights = [...moved.right, ...(await sameInBoth(entities, right, sidesOf(byRight, relation.to), changes(right), within.right))];
  const read = await policiesAmong(entities, relation, lefts, rights, [...ofMoved.left.all, ...ofMoved.right.all, ...byChecks]);
  const isWritten = new Set(rows.map(idOf));
  const inBoth = [...rows, ...read.filter(({ id }) => !isWritten.has(id)).map((row) => ({ before: row, after: row }))];
  const policies = await policyStates(entities, relation, inBoth, checks);
  const touched = new Set([...isWritten, ...byChecks.map(({ id }) => id)]);
  return { lefts, rights, policies, isWritten: ({ before, after }) => touched.has((after ?? before)?.row.id ?? '') };
};

/** By what policies select an entity, and until when. */
const SELECTED_BY = ['roleAttributes', 'roleAttributeGrants'] as const;

/** True if policies cannot select an entity in one state otherwise than in the other. */
const isSelectedAlike = (before: Row, after: Row): boolean => !differsIn(SELECTED_BY, { before, after });

/** The written entities of a kind that policies may select otherwise than before. */
const movedOf = (changes: NetChanges, kind: Kind, isWithin: Within['left']): readonly RowInBoth[] => {
  const keyOf = orderKeys(changes, kind);
  return writtenOf(changes, kind, isSelectedAlike)
    .filter((written) => statesIn([written]).every(isWithin))
    .map(({ before, after }) => ({ before: before && slim(before), after: after && slim(after), key: keyOf(idOf({ before, after })) }));
};

/** Keeps what is needed of a row: there may be many. */
const slim = (row: Row): RelatedRow => {
  const { id, name, roleAttributes, roleAttributeGrants, authPolicyId } = row as Row & RelatedRow; // both kinds of a relation have these fields
  return { id, name, roleAttributes, ...(roleAttributeGrants && { roleAttributeGrants }), ...(authPolicyId && { authPolicyId }) };
};

/** The policies, apart from those written, that ask for one of the checks in either state. */
const policiesOfChecks = async (
  entities: Entities,
  kind: Kind,
  checks: readonly InBoth<PolicyRow>[],
  written: readonly InBoth<Row>[],
): Promise<readonly PolicyRow[]> => {
  const states = statesIn(checks) as readonly (PolicyRow & Selectable)[]; // checks carry role attributes
  if (states.length === 0) return [];
  const rows = await unwritten(entities, kind, maybeSelecting('postureCheckRoles', states), written);
  return rows.filter((row) => states.some((state) => selects(policySide(row, 'postureCheckRoles'), state)));
};

const unwritten = async (
  entities: Entities,
  kind: Kind,
  where: Predicate,
  written: readonly InBoth<Row>[],
): Promise<readonly PolicyRow[]> => {
  const ids = new Set(written.map(idOf));
  return ((await entities.list(kind, { where })) as readonly PolicyRow[]).filter(({ id }) => !ids.has(id)); // policies have names
};

/** The policies, apart from those written, that select a moved entity in either state, and among them those that do not select it alike in both. */
const policiesOfMoved = async (
  entities: Entities,
  { policies, from, to }: PolicyRelation,
  side: 'left' | 'right',
  moved: readonly RowInBoth[],
  written: readonly InBoth<Row>[],
): Promise<{ readonly all: readonly PolicyRow[]; readonly differing: readonly PolicyRow[] }> => {
  const states = statesIn(moved);
  if (states.length === 0) return { all: [], differing: [] };
  const field = side === 'left' ? from : to;
  const all = await unwritten(entities, policies, states.length > MAX_SELECTED ? ALL : maybeSelecting(field, states), written);
  const selectsNow = (policy: PolicyRow, row: RelatedRow | undefined) => {
    const left = policySide(policy, field);
    return row && selects(left, row) ? (endOf({ left, validUntil: undefined }, row) ?? 'forever') : undefined;
  };
  const differing = all.filter((policy) => moved.some(({ before, after }) => selectsNow(policy, before) !== selectsNow(policy, after)));
  return { all, differing };
};

/** The entities of a kind that the sides select, and that are the same in both states as far as policies are concerned. */
const sameInBoth = async (
  entities: Entities,
  kind: Kind,
  sides: readonly Side[],
  written: ReadonlyMap<string, InBoth<Row>>,
  isWithin: Within['left'],
): Promise<readonly RowInBoth[]> => {
  const rows: RowInBoth[] = [];
  await eachRow(entities, kind, await selectedBy(sides), (row) => {
    const { before } = written.get(row.id) ?? { before: row };
    if (!before || !isSelectedAlike(before, row) || !isWithin(row)) return;
    const same = slim(row);
    rows.push({ before: same, after: same, key: same.id });
  });
  return rows;
};

/** Calls a function with each row that satisfies a predicate, in order of id. */
const eachRow = async (entities: Entities, kind: Kind, where: Predicate, visit: (row: Row) => void): Promise<void> => {
  if (where.op === 'none') return;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: readonly Row[] = await entities.list(kind, { where: and(where, idAfter(after)), limit: BATCH });
    rows.forEach(visit);
    after = rows.length < BATCH ? undefined : rows.at(-1)?.id;
  }
};

/** The policies that may relate some entities. @param known policies that were read already */
const policiesAmong = async (
  entities: Entities,
  { policies, from, to }: PolicyRelation,
  lefts: readonly RowInBoth[],
  rights: readonly RowInBoth[],
  known: readonly PolicyRow[],
): Promise<readonly PolicyRow[]> => {
  if (lefts.length === 0 || rights.length === 0) return [];
  const selecting = (field: string, rows: readonly RowInBoth[]) =>
    rows.length > MAX_SELECTED ? ALL : maybeSelecting(field, statesIn(rows));
  const found = new Map(known.map((row) => [row.id, row]));
  await eachRow(entities, policies, and(selecting(from, lefts), selecting(to, rights)), (row) => void found.set(row.id, row as PolicyRow)); // they have names
  return [...found.values()];
};
