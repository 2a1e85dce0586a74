import type { Kind } from '../../contract/api/kit/resource.ts';
import { displayField, type RoleDisplay } from '../../contract/api/kit/role-display.ts';
import { idOfSelector, readSelectors } from '../../contract/api/kit/roles.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { listing } from '../../store/entities/reads.ts';
import type { Row } from '../../store/storage/port.ts';
import type { Call } from '../call.ts';
import { visibleIds } from './granted.ts';
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

/** Number of roles to process before yielding to the event loop. */
const ROLES_PER_SLICE = 20_000;

/** True if the displays of a kind depend on what the caller may see. */
export const limitsDisplays = (kind: Kind, { grant }: Pick<Call, 'grant'>): boolean =>
  roleFieldsOf(kind).some(({ target }) => grant.visible.has(target));

/**
 * The role arrays of a page of rows, for display. Takes one query for each kind that is selected by id.
 * @returns the displays of each row, in the same order; undefined if the kind has no role arrays
 */
export const displaysFor = async (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
  call: Call,
): Promise<readonly Readonly<Record<string, readonly RoleDisplay[]>>[] | undefined> => {
  const fields = roleFieldsOf(kind);
  if (fields.length === 0) return undefined;
  const yieldIfDue = createTimeSlice(ROLES_PER_SLICE);
  const selected = new Map(fields.map(({ target }) => [target, new Set<string>()]));
  for (const row of rows)
    for (const { name, target } of fields) {
      const roles = rolesOf(row, name);
      for (const id of readSelectors(roles).ids) selected.get(target)?.add(id);
      await yieldIfDue(roles.length);
    }
  const targets = [...selected].flatMap(([target, ids]) => {
    const kind = kindOf(target);
    return kind ? [{ target, kind, read: listing(kind, { where: oneOf(stringField('id'), [...ids]) }) }] : [];
  });
  const found = await entities.readAll(targets.map(({ read }) => read));
  const names = new Map<string, ReadonlyMap<string, string>>();
  for (const [i, { target, kind }] of targets.entries()) {
    const named = new Map((found[i] ?? []).map((row) => [row.id, String(row.name)]));
    const visible = await visibleIds(entities, kind, [...named.keys()], call);
    names.set(target, new Map([...named].filter(([id]) => visible.has(id))));
  }
  const displays = [];
  for (const row of rows) {
    const shown: Record<string, readonly RoleDisplay[]> = {};
    for (const { name, target } of fields) {
      const roles = rolesOf(row, name);
      shown[displayField(name)] = displayOf(roles, names.get(target));
      await yieldIfDue(roles.length);
    }
    displays.push(shown);
  }
  return displays;
};

const rolesOf = (row: Row, field: string): readonly string[] => (row[field] ?? []) as readonly string[]; // role arrays are lists of texts

/** Entries whose entity was deleted or is hidden from the caller are omitted. */
const displayOf = (roles: readonly string[], names: ReadonlyMap<string, string> | undefined): readonly RoleDisplay[] =>
  roles.flatMap((role) => {
    const id = idOfSelector(role);
    if (id === undefined) return [{ role, name: role }];
    const name = names?.get(id);
    return name === undefined ? [] : [{ role, name: `@${name}` }];
  });
