import type { Field, Reference } from '../../contract/api/kit/field.ts';
import type { Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { readSelectors, selectorFault } from '../../contract/api/kit/roles.ts';
import { ApiError, invalidField, notFound } from '../../contract/errors/index.ts';
import { oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { kindOf } from './kinds.ts';

/**
 * Checks that the entities to which the changed fields of a row refer exist.
 * @throws ApiError as declared by `unknown` for a reference; 400 with the field for selectors; 404 for sets and maps of ids
 */
export const checkReferences = async (entities: Entities, kind: Kind, after: Row, before: Row | undefined): Promise<void> => {
  for (const name in kind.fields) {
    const value = after[name];
    if (value === null || value === undefined || value === before?.[name]) continue;
    const { reference, keys, set } = kind.fields[name] ?? {};
    if (reference) await checkReference(entities, name, reference, String(value));
    if (keys) await checkIds(entities, keys, Object.keys(value));
    // Sets are lists of texts.
    if (set?.of === 'references') await checkIds(entities, set.target, value as readonly string[]);
    if (set?.of === 'selectors') await checkSelectors(entities, name, set, value as readonly string[]);
  }
};

const checkReference = async (entities: Entities, name: string, { target, unknown, fault = name }: Reference, id: string) => {
  if (unknown === 'byBehaviour') return;
  const kind = kindOf(target);
  if (kind && (await entities.get(kind, id))) return;
  if (unknown === 'invalid') throw invalidField(fault, `no ${target} with id ${id}: it must be an id, not a name`, id);
  if (unknown === 'unresolved')
    throw new ApiError('REFERENCED_ENTITY_NOT_FOUND', { cause: { field: fault, reason: `no ${target} with id ${id}`, value: id } });
  throw notFound(target, id);
};

const checkIds = async (entities: Entities, target: string, ids: readonly string[]): Promise<void> => {
  const [missing] = await unknownIds(entities, target, ids);
  if (missing !== undefined) throw notFound(target, missing);
};

type Selectors = Extract<NonNullable<Field['set']>, { readonly of: 'selectors' }>;

const checkSelectors = async (entities: Entities, name: string, { target }: Selectors, roles: readonly string[]): Promise<void> => {
  const fault = selectorFault(roles);
  if (fault !== undefined) throw invalidField(name, fault, roles);
  const missing = await unknownIds(entities, target, readSelectors(roles).ids);
  if (missing.length > 0)
    throw invalidField(name, `no ${kindOf(target)?.collection ?? target} found with the given ids: ${quoted(missing)}`, missing);
};

const MAX_QUOTED = 5;

/** The first few ids, as text for an error message. */
const quoted = (ids: readonly string[]): string =>
  [...ids.slice(0, MAX_QUOTED).map((id) => id.slice(0, 64)), ...(ids.length > MAX_QUOTED ? [`${ids.length - MAX_QUOTED} more`] : [])].join(
    ', ',
  );

/** The ids that no entity of the kind has. A kind unknown to this version has no entities. */
export const unknownIds = async (entities: Entities, target: string, ids: readonly string[]): Promise<readonly string[]> => {
  const kind = kindOf(target);
  if (!kind || ids.length === 0) return ids;
  const known = new Set(await entities.referenced(kind, 'id', ids));
  return ids.filter((id) => !known.has(id));
};

/** Loads the rows with the given ids in one query. */
export const rowsById = async <R extends Kind>(
  entities: Entities,
  kind: R,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RowOf<R>>> => {
  const rows = await entities.list(kind, { where: oneOf(stringField('id'), [...new Set(ids)]) });
  return new Map(rows.map((row) => [(row as { readonly id: string }).id, row])); // every row has an id
};

/** Loads the rows to which the items in `from` refer in one query. */
export const rowsReferredBy = <R extends Kind, F>(
  entities: Entities,
  kind: R,
  from: readonly F[],
  idsOf: (item: F) => string | readonly string[],
) => rowsById(entities, kind, from.flatMap(idsOf));
