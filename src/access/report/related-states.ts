/**
 * Reads the input for the exact difference between two states of a relation, from the later state and the changes between them. Reads only
 * rows that the changes can affect: written entities, entities that written policies select, and entities on the other side of policies
 * that gained or lost a written entity.
 */
import { postureCheck } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { ALL, and, dateField, idAfter, NONE, not, type Predicate } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { clearBit, countBits } from '../../store/indexes/bit-set.ts';
import type { Row } from '../../store/storage/port.ts';
import { endOf } from '../evaluation/conditions.ts';
import { differsIn } from '../evaluation/deciding-fields.ts';
import { sideOf } from '../policies/traversal.ts';
import { maybeSelecting, type Selectable, selectedBy, selects } from '../roles/membership.ts';
import type { RelatedRow, RowBeforeAfter } from './groups.ts';
import { type IndexedEntities, indexedSide } from './indexed-side.ts';
import { type BeforeAfter, idOf, type NetChanges, orderKeys, presentStates } from './net-changes.ts';
import type { RelatedStates } from './pairs.ts';
import { accessRelation, type PolicyRelation } from './relations.ts';
import { isSameCheck, type PolicyRow, policyStates, sidesOf, writtenOf } from './written.ts';

/** Limits the entities of each side. Both functions must accept the rows of change records. */
export interface Within {
  readonly left: (row: Readonly<Record<string, unknown>>) => boolean;
  readonly right: (row: Readonly<Record<string, unknown>>) => boolean;
}

/** Limits nothing. */
export const EVERY_ROW: Within['left'] = () => true;
const EVERYTHING: Within = { left: EVERY_ROW, right: EVERY_ROW };

/** Number of rows to read at a time. */
const BATCH_SIZE = 1000;
/** Default of `maxRead`. */
const MAX_READ = 1000;
/** Maximum number of entities for which the selecting policies are queried. For more, all policies are read. */
const MAX_SELECTED = 200;

/**
 * @param entities the later state
 * @param changes the writes between the two states
 * @param within default: all entities
 * @param maxRead maximum number of unwritten entities on the left that are all read. If there are more, they are found in the role index,
 * if it has this state
 */
export const relatedStates = async (
  entities: Entities,
  relation: PolicyRelation,
  changes: NetChanges,
  within: Within = EVERYTHING,
  maxRead = MAX_READ,
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
  const written = [...presentStates(rows), ...byChecks];
  const [byLeft, byRight] = [
    [...written, ...ofMoved.right.differing],
    [...written, ...ofMoved.left.differing],
  ];
  const rightsWhere = await selectedBy(sidesOf(byRight, relation.to));
  const rights = [...moved.right, ...(await sameInBoth(entities, right, rightsWhere, changes(right), within.right))];
  const where = await selectedBy(sidesOf(byLeft, relation.from));
  const readLefts = (which: Predicate) => sameInBoth(entities, left, which, changes(left), within.left);
  const indexed = within.left === EVERY_ROW ? await indexedEntities(entities, left, where, maxRead) : undefined;
  const lefts = [...moved.left, ...(await readLefts(indexed ? and(where, withEnds(left)) : where))];
  if (indexed) removeRows(indexed, lefts);
  const read = await policiesAmong(entities, relation, indexed ? 'many' : lefts, rights, [
    ...ofMoved.left.all,
    ...ofMoved.right.all,
    ...byChecks,
  ]);
  const isWritten = new Set(rows.map(idOf));
  const inBoth = [...rows, ...read.filter(({ id }) => !isWritten.has(id)).map((row) => ({ before: row, after: row }))];
  const policies = await policyStates(entities, relation, inBoth, checks);
  const furtherLefts = indexed && (await indexedSide(indexed, policies, 'left'));
  const unindexed = indexed && !furtherLefts ? await readLefts(and(where, not(withEnds(left)))) : [];
  const touched = new Set([...isWritten, ...byChecks.map(({ id }) => id)]);
  return {
    lefts: [...lefts, ...unindexed],
    furtherLefts,
    rights,
    policies,
    isWritten: ({ before, after }) => touched.has((after ?? before)?.row.id ?? ''),
  };
};

/** The entities that a predicate selects, if they are many and the role index has them. */
const indexedEntities = async (entities: Entities, kind: Kind, where: Predicate, maxRead: number): Promise<IndexedEntities | undefined> => {
  if (where.op === 'none') return undefined;
  const rows = await entities.numberedRows(kind);
  const bits = rows?.bitsOf(where);
  return rows && bits && countBits(bits) > maxRead ? { entities, kind, rows, bits, where, maxRead, inBoth: unchangedRow } : undefined;
};

const removeRows = ({ rows, bits }: IndexedEntities, removed: readonly RowBeforeAfter[]): void => {
  for (const row of removed) {
    const number = rows.numbering.numberOf(idOf(row));
    if (number !== undefined) clearBit(bits, number);
  }
};

/** Selects the entities that have a grant with an end. */
const withEnds = ({ fields }: Kind): Predicate => (fields['grantsEndAt'] ? not({ op: 'isNull', field: dateField('grantsEndAt') }) : NONE);

/** The fields that determine the policies that select an entity, and the end of the selection. */
const SELECTION_FIELDS = ['roleAttributes', 'roleAttributeGrants'] as const;

/** True if the same policies select an entity in both states, with the same ends. */
const isSelectedAlike = (before: Row, after: Row): boolean => !differsIn(SELECTION_FIELDS, { before, after });

/** The written entities of a kind whose selection may have changed. */
const movedOf = (changes: NetChanges, kind: Kind, isWithin: Within['left']): readonly RowBeforeAfter[] => {
  const keyOf = orderKeys(changes, kind);
  return writtenOf(changes, kind, isSelectedAlike)
    .filter((written) => presentStates([written]).every(isWithin))
    .map(({ before, after }) => ({
      before: before && toRelatedRow(before),
      after: after && toRelatedRow(after),
      key: keyOf(idOf({ before, after })),
    }));
};

const unchangedRow = (row: Row): RowBeforeAfter => {
  const unchanged = toRelatedRow(row);
  return { before: unchanged, after: unchanged, key: unchanged.id };
};

/** Omits the other fields of a row, to save memory. */
const toRelatedRow = (row: Row): RelatedRow => {
  const { id, name, roleAttributes, roleAttributeGrants, authPolicyId } = row as Row & RelatedRow; // both kinds of a relation have these fields
  return { id, name, roleAttributes, ...(roleAttributeGrants && { roleAttributeGrants }), ...(authPolicyId && { authPolicyId }) };
};

/** The unwritten policies that require one of the checks in either state. */
const policiesOfChecks = async (
  entities: Entities,
  kind: Kind,
  checks: readonly BeforeAfter<PolicyRow>[],
  written: readonly BeforeAfter<Row>[],
): Promise<readonly PolicyRow[]> => {
  const states = presentStates(checks) as readonly (PolicyRow & Selectable)[]; // checks have role attributes
  if (states.length === 0) return [];
  const rows = await unwrittenPolicies(entities, kind, maybeSelecting('postureCheckRoles', states), written);
  return rows.filter((row) => states.some((state) => selects(sideOf(row, 'postureCheckRoles'), state)));
};

const unwrittenPolicies = async (
  entities: Entities,
  kind: Kind,
  where: Predicate,
  written: readonly BeforeAfter<Row>[],
): Promise<readonly PolicyRow[]> => {
  const ids = new Set(written.map(idOf));
  return ((await entities.list(kind, { where })) as readonly PolicyRow[]).filter(({ id }) => !ids.has(id)); // policies have names
};

/**
 * The unwritten policies that select a moved entity in either state, and among them those whose selection of it differs between the states.
 */
const policiesOfMoved = async (
  entities: Entities,
  { policies, from, to }: PolicyRelation,
  side: 'left' | 'right',
  moved: readonly RowBeforeAfter[],
  written: readonly BeforeAfter<Row>[],
): Promise<{ readonly all: readonly PolicyRow[]; readonly differing: readonly PolicyRow[] }> => {
  const states = presentStates(moved);
  if (states.length === 0) return { all: [], differing: [] };
  const field = side === 'left' ? from : to;
  const all = await unwrittenPolicies(entities, policies, states.length > MAX_SELECTED ? ALL : maybeSelecting(field, states), written);
  /** The end of the selection of a row; undefined if it is not selected. */
  const selectionEnd = (policy: PolicyRow, row: RelatedRow | undefined) => {
    const left = sideOf(policy, field);
    return row && selects(left, row) ? (endOf({ left, validUntil: undefined }, row) ?? 'forever') : undefined;
  };
  const differing = all.filter((policy) => moved.some(({ before, after }) => selectionEnd(policy, before) !== selectionEnd(policy, after)));
  return { all, differing };
};

/** The entities that a predicate selects, and whose selection by policies is the same in both states. */
const sameInBoth = async (
  entities: Entities,
  kind: Kind,
  where: Predicate,
  written: ReadonlyMap<string, BeforeAfter<Row>>,
  isWithin: Within['left'],
): Promise<readonly RowBeforeAfter[]> => {
  const rows: RowBeforeAfter[] = [];
  await eachRow(entities, kind, where, (row) => {
    const { before } = written.get(row.id) ?? { before: row };
    if (before && isSelectedAlike(before, row) && isWithin(row)) rows.push(unchangedRow(row));
  });
  return rows;
};

/** Calls a function with each row that satisfies a predicate, in order of id. */
const eachRow = async (entities: Entities, kind: Kind, where: Predicate, visit: (row: Row) => void): Promise<void> => {
  if (where.op === 'none') return;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: readonly Row[] = await entities.list(kind, { where: and(where, idAfter(after)), limit: BATCH_SIZE });
    rows.forEach(visit);
    after = rows.length < BATCH_SIZE ? undefined : rows.at(-1)?.id;
  }
};

/**
 * The policies that may relate the rows.
 * @param lefts the rows, or `many` if they are not in memory
 * @param alreadyRead policies to include without reading them again
 */
const policiesAmong = async (
  entities: Entities,
  { policies, from, to }: PolicyRelation,
  lefts: readonly RowBeforeAfter[] | 'many',
  rights: readonly RowBeforeAfter[],
  alreadyRead: readonly PolicyRow[],
): Promise<readonly PolicyRow[]> => {
  if (lefts.length === 0 || rights.length === 0) return [];
  const selecting = (field: string, rows: readonly RowBeforeAfter[] | 'many') =>
    rows === 'many' || rows.length > MAX_SELECTED ? ALL : maybeSelecting(field, presentStates(rows));
  const found = new Map(alreadyRead.map((row) => [row.id, row]));
  await eachRow(entities, policies, and(selecting(from, lefts), selecting(to, rights)), (row) => void found.set(row.id, row as PolicyRow)); // they have names
  return [...found.values()];
};
