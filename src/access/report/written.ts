/** The written entities, and the states of policies that are compared. */
import { postureCheck } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { and, NONE, not, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { sideOf } from '../policies/traversal.ts';
import { type Selectable, type Side, selectedBy } from '../roles/membership.ts';
import { indexEntities } from '../roles/selection-index.ts';
import type { CheckState, PolicyBeforeAfter, PolicyState } from './groups.ts';
import { type BeforeAfter, idOf, type NetChanges, presentStates } from './net-changes.ts';
import { accessRelation, type PolicyRelation } from './relations.ts';

export type PolicyRow = Row & { readonly name: string };

/** The written entities of a kind that differ between the states. */
export const writtenOf = (changes: NetChanges, kind: Kind, isSame: (a: Row, b: Row) => boolean): readonly BeforeAfter<PolicyRow>[] =>
  [...changes(kind).values()].filter(({ before, after }) =>
    before && after ? !isSame(before, after) : before !== undefined || after !== undefined,
  ) as unknown as readonly BeforeAfter<PolicyRow>[]; // change records hold the rows of the kind, and these kinds have names

/** The fields that do not affect the requirements of a check. */
const METADATA: readonly string[] = ['name', 'version', 'createdAt', 'updatedAt', 'tags'];
export const isSameCheck = (a: object, b: object): boolean => isSameJson(omit(a, METADATA), omit(b, METADATA));
const omit = (row: object, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !fields.includes(field)));

/** True if a check has the same requirements in both states, regardless of the policies that select it. */
const hasSameRequirements = ({ before, after }: BeforeAfter<object>): boolean =>
  isSameJson(omit(before ?? {}, [...METADATA, 'roleAttributes']), omit(after ?? {}, [...METADATA, 'roleAttributes']));

export const sidesOf = (rows: readonly Row[], field: string): readonly Side[] => rows.map((row) => sideOf(row, field));

/**
 * The states of policies, with their posture checks in each state.
 * @param written the written posture checks
 */
export const policyStates = async (
  entities: Entities,
  { policies: kind, from, to }: PolicyRelation,
  policies: readonly BeforeAfter<PolicyRow>[],
  written: readonly BeforeAfter<Row>[],
): Promise<readonly PolicyBeforeAfter[]> => {
  const states = presentStates(policies);
  const sides = kind === accessRelation.policies ? sidesOf(states, 'postureCheckRoles').filter(({ roles }) => roles.length > 0) : [];
  const where = sides.length === 0 ? NONE : and(await selectedBy(sides), not(oneOf(stringField('id'), written.map(idOf))));
  const unchanged = where.op === 'none' ? [] : await entities.list(postureCheck, { where });
  const selectedIn = (state: 'before' | 'after') => {
    const changed = written.flatMap((check) => {
      const row = check[state] as (PolicyRow & Selectable) | undefined; // checks have role attributes
      return row ? [checkState(row, hasSameRequirements(check) ? row.id : `${row.id} ${state}`)] : [];
    });
    return indexEntities([...unchanged.map((row) => checkState(row, row.id)), ...changed]);
  };
  const stateOf =
    (selected: ReturnType<typeof selectedIn>) =>
    (row: PolicyRow | undefined): PolicyState | undefined =>
      row && {
        row,
        type: typeof row.type === 'string' ? row.type : '',
        left: sideOf(row, from),
        right: sideOf(row, to),
        checks: sides.length === 0 ? [] : selected(sideOf(row, 'postureCheckRoles')),
        validUntil: typeof row.validUntil === 'string' ? row.validUntil : undefined,
      };
  const [before, after] = [stateOf(selectedIn('before')), stateOf(selectedIn('after'))];
  return policies.map((policy) => ({ before: before(policy.before), after: after(policy.after) }));
};

const checkState = ({ id, name, roleAttributes }: Selectable & { readonly name: string }, mark: string): CheckState & Selectable => ({
  id,
  name,
  roleAttributes,
  mark,
});
