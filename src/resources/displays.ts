import type { Kind } from '../api/kit/resource.ts';
import { displayName, type RoleDisplay } from '../api/kit/role-display.ts';
import { idOfSelector, readSelectors } from '../api/kit/selectors.ts';
import type { Entities } from '../changes/entities.ts';
import { listing } from '../changes/reads.ts';
import { oneOf, stringField } from '../query/index.ts';
import type { Row } from '../storage/port.ts';
import { kindOf } from './kinds.ts';

interface RoleField {
  readonly name: string;
  readonly target: string;
}

const roleFields = new WeakMap<Kind, readonly RoleField[]>();

const roleFieldsOf = (kind: Kind): readonly RoleField[] => {
  let fields = roleFields.get(kind);
  if (!fields) {
    fields = Object.entries(kind.fields).flatMap(([name, { set }]) => (set?.of === 'selectors' ? [{ name, target: set.target }] : []));
    roleFields.set(kind, fields);
  }
  return fields;
};

/**
 * Role arrays as people read them, for a whole page at the cost of one query for each kind that is selected by id.
 * @returns what adds the displays of a row to its detail; undefined for kinds without role arrays
 */
export const displaysFor = async (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
): Promise<((row: Row, detail: Record<string, unknown>) => void) | undefined> => {
  const fields = roleFieldsOf(kind);
  if (fields.length === 0) return undefined;
  const byTarget = Map.groupBy(fields, ({ target }) => target);
  const targets = [...byTarget].flatMap(([target, its]) => {
    const kind = kindOf(target);
    const ids = new Set(rows.flatMap((row) => its.flatMap(({ name }) => readSelectors(rolesOf(row, name)).ids)));
    return kind ? [{ target, read: listing(kind, { where: oneOf(stringField('id'), [...ids]) }) }] : [];
  });
  const found = await entities.readAll(targets.map(({ read }) => read));
  const names = new Map(targets.map(({ target }, i) => [target, new Map((found[i] ?? []).map((row) => [row.id, String(row.name)]))]));
  return (row, detail) => {
    for (const { name, target } of fields) detail[displayName(name)] = displayOf(rolesOf(row, name), names.get(target));
  };
};

/** A role array is a list of texts. */
const rolesOf = (row: Row, field: string): readonly string[] => (row[field] ?? []) as readonly string[];

/** An entry whose entity is gone has no display. */
const displayOf = (roles: readonly string[], names: ReadonlyMap<string, string> | undefined): readonly RoleDisplay[] =>
  roles.flatMap((role) => {
    const id = idOfSelector(role);
    if (id === undefined) return [{ role, name: role }];
    const name = names?.get(id);
    return name === undefined ? [] : [{ role, name: `@${name}` }];
  });
