import { kinds } from '../api/index.ts';
import type { Field, Reference } from '../api/kit/field.ts';
import type { Resource } from '../api/kit/resource.ts';
import type { Entities } from '../changes/entities.ts';
import { ApiError, invalidField, notFound, notFoundField } from '../errors/index.ts';
import { equals, has, text } from '../query/index.ts';
import type { Row } from '../storage/port.ts';

const allKinds: readonly Resource[] = Object.values(kinds);
export const kindOf = (name: string): Resource | undefined => allKinds.find((kind) => kind.kind === name);

/** Every place where a kind is pointed at, found in the field tables. */
interface Pointer {
  readonly holder: Resource;
  readonly field: string;
  readonly how: Reference['onDelete'] | 'deselect';
}

const pointersTo: ReadonlyMap<string, readonly Pointer[]> = Map.groupBy(
  allKinds.flatMap((holder) =>
    Object.entries(holder.fields).flatMap(([field, { reference, set }]): (Pointer & { target: string })[] => {
      if (reference) return [{ target: reference.target, holder, field, how: reference.onDelete }];
      return set?.of === 'selectors' ? [{ target: set.target, holder, field, how: 'deselect' }] : [];
    }),
  ),
  (pointer) => pointer.target,
);

/**
 * Checks that what a row points at exists. Only fields that changed are looked at.
 * @throws ApiError as the field's `unknown` says
 */
export const checkReferences = async (entities: Entities, kind: Resource, after: Row, before: Row | undefined): Promise<void> => {
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = after[name];
    if (value === null || value === undefined || value === before?.[name]) continue;
    if (field.reference) await checkReference(entities, name, field.reference, String(value));
    if (field.keys) await checkKeys(entities, name, field, value as Readonly<Record<string, unknown>>);
  }
};

const checkReference = async (entities: Entities, name: string, { target, unknown, fault = name }: Reference, id: string) => {
  const kind = kindOf(target);
  if (kind && (await entities.get(kind, id))) return;
  if (unknown === 'invalid') throw invalidField(fault, `no ${target} with id ${id}`, id);
  if (unknown === 'unresolved')
    throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', { cause: { field: fault, reason: `no ${target} with id ${id}`, value: id } });
  throw notFoundField(fault, target, id);
};

const checkKeys = async (entities: Entities, name: string, { keys = '' }: Field, value: Readonly<Record<string, unknown>>) => {
  const kind = kindOf(keys);
  for (const id of Object.keys(value)) {
    if (!kind || !(await entities.get(kind, id))) throw notFoundField(name, keys, id);
  }
};

/**
 * Removes an entity and what goes with it: entities that cascade, fields that empty, selectors that name it.
 * @throws ApiError `CAN_NOT_DELETE_REFERENCED_ENTITY` when something that must stay points at it; nothing is written then
 */
export const removeEntity = async (entities: Entities, kind: Resource, row: Row): Promise<void> => {
  const pointers = pointersTo.get(kind.kind) ?? [];
  for (const { holder, field, how } of pointers) {
    if (how !== 'restrict') continue;
    const users = await entities.list(holder, { where: equals(text(field), row.id), limit: 10 });
    if (users.length > 0) {
      const ids = users.map((user) => user.id).join(' ');
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        cause: { field, reason: `${kind.kind} ${row.id} is used by ${holder.collection}`, value: `[${ids}]` },
      });
    }
  }
  for (const { holder, field, how } of pointers) {
    if (how === 'restrict') continue;
    const where = how === 'deselect' ? has(field, `@${row.id}`) : equals(text(field), row.id);
    for (const user of await entities.list(holder, { where })) {
      const holding = user as unknown as Row; // rows of any kind are rows
      if (how === 'cascade') await removeEntity(entities, holder, holding);
      else
        await entities.update(holder, user, {
          [field]: how === 'unset' ? null : (holding[field] as readonly string[]).filter((entry) => entry !== `@${row.id}`),
        });
    }
  }
  await entities.remove(kind, row as never);
};

/** The row of an id, or 404. */
export const requireRow = async (entities: Entities, kind: Resource, id: string): Promise<Row> => {
  const row = await entities.get(kind, id);
  if (!row) throw notFound(kind.kind, id);
  return row as unknown as Row;
};
