import type { Reference } from '../../contract/api/kit/field.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { selectorOfId } from '../../contract/api/kit/roles.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { equals, has, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { allKinds } from './kinds.ts';

/**
 * A field that refers to entities of a kind, according to the field tables: a reference, a set of ids, a role array, or an index of map
 * keys.
 */
interface Pointer {
  readonly target: string;
  readonly holder: Kind;
  readonly field: string;
  readonly how: Reference['onDelete'] | 'restrictSet' | 'leaveSet' | 'deselect' | 'dropKey';
}

/** Views before their tables, so that change records name the view of a row that is in one. */
const holders = [...allKinds.filter(({ view }) => view), ...allKinds.filter(({ view }) => !view)];

const pointers: ReadonlyMap<string, readonly Pointer[]> = Map.groupBy(
  holders.flatMap((holder) =>
    Object.entries(holder.fields).flatMap(([field, { reference, set }]): Pointer[] => {
      if (reference) return [{ target: reference.target, holder, field, how: reference.onDelete }];
      if (set?.of === 'references')
        return [{ target: set.target, holder, field, how: set.onDelete === 'restrict' ? 'restrictSet' : 'leaveSet' }];
      if (set?.of === 'keys') return [{ target: holder.fields[set.from[0] ?? '']?.keys ?? '', holder, field, how: 'dropKey' }];
      return set?.of === 'selectors' ? [{ target: set.target, holder, field, how: 'deselect' }] : [];
    }),
  ),
  (pointer) => pointer.target,
);

/** The fields that refer to a kind; for an edge router, also those that refer to any router. */
const pointersTo = ({ kind, view }: Kind): readonly Pointer[] => [
  ...(pointers.get(kind) ?? []),
  ...((view && pointers.get(view.of)) ?? []),
];

/**
 * Removes an entity. Entities with a cascading reference to it are removed as well, and its id is removed from all other fields, sets, maps
 * and role arrays.
 * @throws ApiError `CAN_NOT_DELETE_REFERENCED_ENTITY` if a field that restricts the deletion refers to it
 */
export const removeEntity = async (entities: Entities, kind: Kind, row: Row): Promise<void> => {
  const pointing = pointersTo(kind);
  for (const { holder, field, how } of pointing) {
    if (!forbids(how)) continue;
    const users = await entities.list(holder, { where: pointingBy(field, how, row.id), limit: 10 });
    if (users.length > 0) {
      const ids = users.map((user) => user.id).join(' ');
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        cause: {
          field,
          reason: `${kind.kind} ${row.id} is used by ${holder.collection} ${ids}: change or delete them first`,
          value: `[${ids}]`,
        },
      });
    }
  }
  for (const { holder, field, how } of pointing) {
    if (forbids(how)) continue;
    for (const user of await entities.list(holder, { where: pointingBy(field, how, row.id) })) {
      if (how === 'cascade') await removeEntity(entities, holder, user);
      else await entities.update(holder, user, changesWithout(holder, user, field, how, row.id));
    }
  }
  await entities.remove(kind, row);
};

const forbids = (how: Pointer['how']): boolean => how === 'restrict' || how === 'restrictSet';

const pointingBy = (field: string, how: Pointer['how'], id: string): Predicate => {
  if (how === 'deselect') return has(field, selectorOfId(id));
  return how === 'leaveSet' || how === 'restrictSet' || how === 'dropKey' ? has(field, id) : equals(stringField(field), id);
};

const changesWithout = (holder: Kind, row: Row, field: string, how: Pointer['how'], id: string): Readonly<Record<string, unknown>> => {
  const { set } = holder.fields[field] ?? {};
  if (set?.of === 'keys') return Object.fromEntries(set.from.map((map) => [map, withoutKey(row[map], id)]));
  return { [field]: how === 'unset' ? null : without(row[field], how, id) };
};

const withoutKey = (map: unknown, id: string) => Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => key !== id));

const without = (set: unknown, how: Pointer['how'], id: string): readonly string[] => {
  const entry = how === 'deselect' ? selectorOfId(id) : id;
  return (set as readonly string[]).filter((each) => each !== entry); // a set field holds a list of texts
};
