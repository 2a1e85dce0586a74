/** The entities that changes wrote, and the policies among them in the form in which they are compared. */
import { postureCheck } from '../../../api/kinds.ts';
import type { Kind } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, NONE, not, oneOf, stringField } from '../../../query/index.ts';
import type { Row } from '../../../storage/port.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { type Selectable, type Side, selectedBy } from '../roles/membership.ts';
import { indexEntities } from '../roles/selection-index.ts';
import type { CheckState, PolicyInBoth, PolicyState } from './groups.ts';
import { type InBoth, type NetChanges, statesIn } from './net-changes.ts';
import { accessRelation, type PolicyRelation } from './relations.ts';

export type PolicyRow = Row & { readonly name: string };

export const idOf = ({ before, after }: InBoth<{ readonly id: string }>): string => (after ?? before)?.id ?? '';

/** The written entities of a kind that are not the same in both states. */
export const writtenOf = (changes: NetChanges, kind: Kind, isSame: (a: Row, b: Row) => boolean): readonly InBoth<PolicyRow>[] =>
  [...changes(kind).values()].filter(({ before, after }) =>
    before && after ? !isSame(before, after) : before !== undefined || after !== undefined,
  ) as unknown as readonly InBoth<PolicyRow>[]; // change records hold the rows of the kind, and these kinds have names

/** What a check demands of endpoints depends on every field but these. */
const APART: readonly string[] = ['name', 'version', 'updatedAt', 'tags'];
export const isSameCheck = (a: object, b: object): boolean => isSameJson(without(a, APART), without(b, APART));
const without = (row: object, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !fields.includes(field)));

/** True if a check demands the same in both states, whichever policies select it. */
const demandsSame = ({ before, after }: InBoth<object>): boolean =>
  isSameJson(without(before ?? {}, [...APART, 'roleAttributes']), without(after ?? {}, [...APART, 'roleAttributes']));

export const policySide = (row: Row, field: string): Side => ({
  semantic: row.semantic as Side['semantic'], // every kind of policy has these fields
  roles: row[field] as readonly string[],
});
export const sidesOf = (rows: readonly Row[], field: string): readonly Side[] => rows.map((row) => policySide(row, field));

/** The policies in the form in which they are compared, with their posture checks in each state. */
export const policyStates = async (
  entities: Entities,
  { policies: kind, from, to }: PolicyRelation,
  policies: readonly InBoth<PolicyRow>[],
  written: readonly InBoth<Row>[],
): Promise<readonly PolicyInBoth[]> => {
  const asking = statesIn(policies);
  const sides = kind === accessRelation.policies ? sidesOf(asking, 'postureCheckRoles').filter(({ roles }) => roles.length > 0) : [];
  const where = sides.length === 0 ? NONE : and(await selectedBy(sides), not(oneOf(stringField('id'), written.map(idOf))));
  const unchanged = where.op === 'none' ? [] : await entities.list(postureCheck, { where });
  const selectedIn = (state: 'before' | 'after') => {
    const changed = written.flatMap((check) => {
      const row = check[state] as (PolicyRow & Selectable) | undefined; // checks carry role attributes
      return row ? [checkState(row, demandsSame(check) ? row.id : `${row.id} ${state}`)] : [];
    });
    return indexEntities([...unchanged.map((row) => checkState(row, row.id)), ...changed]);
  };
  const stateOf =
    (selected: ReturnType<typeof selectedIn>) =>
    (row: PolicyRow | undefined): PolicyState | undefined =>
      row && {
        row,
        type: typeof row.type === 'string' ? row.type : '',
        left: policySide(row, from),
        right: policySide(row, to),
        checks: sides.length === 0 ? [] : selected(policySide(row, 'postureCheckRoles')),
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
