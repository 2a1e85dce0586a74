/**
 * Integrity faults that the field tables reveal: references to missing entities, and derived fields that are out of date. The remedy for a
 * missing entity is what its deletion should have done.
 */

import { isDerived, wrongDerivedFields } from '../../contract/api/kit/derived.ts';
import type { Field } from '../../contract/api/kit/field.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { readSelectors, selectorOfId } from '../../contract/api/kit/roles.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { kindOf } from './kinds.ts';
import { unknownIds } from './references.ts';
import { removeEntity } from './removal.ts';

export interface Fault {
  readonly id: string;
  readonly description: string;
  /** The missing entity to which the row refers; undefined for other faults. */
  readonly missing?: { readonly target: string; readonly id: string };
  readonly remedy: Remedy | undefined;
}

type Remedy = { readonly do: 'remove' } | { readonly do: 'set'; readonly field: string; readonly value: unknown };

/** A field that refers to entities of a kind. */
interface Pointer {
  readonly field: string;
  readonly target: string;
  /** The ids in a value of the field. */
  ids(value: unknown): readonly string[];
  /**
   * The remedy for a row whose ids in `missing` refer to no entity.
   * @param exists true if the entity with a fallback id exists
   */
  remedy(row: Row, missing: ReadonlySet<string>, exists: (id: string) => boolean): Remedy | undefined;
  /** Ids that the remedy may put in place of a missing one. */
  readonly fallbacks: readonly string[];
}

// Values should have the types that the field tables declare, but an integrity check must not rely on it.
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
const mapIn = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const pointerOf = (field: string, { reference, keys, set, default: unset, write }: Field): Pointer | undefined => {
  const setTo = (value: unknown): Remedy => ({ do: 'set', field, value });
  const common = { field, fallbacks: [] };
  if (reference) {
    const fallbacks = typeof unset === 'string' ? [unset] : [];
    return {
      field,
      target: reference.target,
      ids: (value) => (reference.standIn?.(String(value)) ? [] : [String(value)]),
      remedy: (_row, _missing, exists) => {
        if (reference.onDelete === 'cascade') return { do: 'remove' };
        if (fallbacks.some(exists)) return setTo(unset);
        return reference.onDelete === 'unset' || (unset === null && write === 'optional') ? setTo(null) : undefined;
      },
      fallbacks,
    };
  }
  if (keys)
    return {
      ...common,
      target: keys,
      ids: (value) => Object.keys(mapIn(value)),
      remedy: (row, missing) => setTo(Object.fromEntries(Object.entries(mapIn(row[field])).filter(([id]) => !missing.has(id)))),
    };
  if (set?.of === 'references')
    return {
      ...common,
      target: set.target,
      ids: texts,
      remedy: (row, missing) => setTo(texts(row[field]).filter((id) => !missing.has(id))),
    };
  if (set?.of !== 'selectors') return undefined;
  return {
    ...common,
    target: set.target,
    ids: (value) => readSelectors(texts(value)).ids,
    remedy: (row, missing) => {
      const dangling = new Set([...missing].map(selectorOfId));
      return setTo(texts(row[field]).filter((entry) => !dangling.has(entry)));
    },
  };
};

interface Checks {
  readonly pointers: readonly Pointer[];
  /** True if some fields are derived from others. */
  readonly hasDerived: boolean;
}

const cache = new WeakMap<Kind, Checks>();

/** The checks for rows of a kind. Fields that a view shares with the kind of its table are checked there. */
const checksOf = (kind: Kind): Checks => {
  let checks = cache.get(kind);
  if (!checks) {
    const table = kind.view && kindOf(kind.view.of)?.fields;
    const own = Object.entries(kind.fields).filter(([name, field]) => table?.[name] !== field);
    checks = {
      pointers: own.flatMap(([name, field]) => pointerOf(name, field) ?? []),
      hasDerived: own.some(([, field]) => isDerived(field)),
    };
    cache.set(kind, checks);
  }
  return checks;
};

export const mayHaveFaults = (kind: Kind): boolean => checksOf(kind).pointers.length > 0 || checksOf(kind).hasDerived;

/** The faults of some rows of a kind. Takes one query for each kind to which they refer. */
export const faultsOf = async (entities: Entities, kind: Kind, rows: readonly Row[]): Promise<readonly Fault[]> => {
  const { pointers, hasDerived } = checksOf(kind);
  const missing = await missingTargets(entities, pointers, rows);
  return rows.flatMap((row) => {
    const dangling = pointers.flatMap((pointer) => {
      const absent = missing.get(pointer.target) ?? new Set();
      const ids = idsIn(pointer, row).filter((id) => absent.has(id));
      if (ids.length === 0) return [];
      const remedy = pointer.remedy(row, new Set(ids), (id) => !absent.has(id));
      const where = `${kind.collection}.${pointer.field} has invalid value for ${kind.kind} ${row.id}`;
      return ids.map((id): Fault => {
        const { target } = pointer;
        return { id: row.id, description: `${where}, which references invalid ${target} ${id}`, missing: { target, id }, remedy };
      });
    });
    return hasDerived ? [...dangling, ...wrongFields(kind, row)] : dangling;
  });
};

const idsIn = ({ field, ids }: Pointer, row: Row): readonly string[] => {
  const value = row[field];
  return value === null || value === undefined ? [] : ids(value);
};

const missingTargets = async (entities: Entities, pointers: readonly Pointer[], rows: readonly Row[]) => {
  const byTarget = Map.groupBy(pointers, ({ target }) => target);
  const missing = new Map<string, ReadonlySet<string>>();
  for (const [target, group] of byTarget) {
    const ids = new Set(group.flatMap((pointer) => [...pointer.fallbacks, ...rows.flatMap((row) => idsIn(pointer, row))]));
    missing.set(target, new Set(await unknownIds(entities, target, [...ids])));
  }
  return missing;
};

/** Faults of derived fields that do not match the fields from which they are derived. */
const wrongFields = (kind: Kind, row: Row): readonly Fault[] =>
  Object.entries(wrongDerivedFields(kind.fields, row)).map(([field, value]) => ({
    id: row.id,
    description: `${kind.collection}.${field} of ${kind.kind} ${row.id} does not follow from its other fields`,
    remedy: { do: 'set', field, value },
  }));

/**
 * Repairs a row as far as possible.
 * @returns the faults that have no remedy
 * @throws ApiError if a remedy would delete an entity that another one requires
 */
export const remedyFaults = async (entities: Entities, kind: Kind, row: Row, faults: readonly Fault[]): Promise<readonly Fault[]> => {
  const remedies = faults.flatMap(({ remedy }) => remedy ?? []);
  if (remedies.some((remedy) => remedy.do === 'remove')) {
    await removeEntity(entities, kind, row);
    return [];
  }
  const changes = Object.fromEntries(remedies.flatMap((remedy) => (remedy.do === 'set' ? [[remedy.field, remedy.value] as const] : [])));
  if (remedies.length > 0) await entities.update(kind, row, changes);
  return faults.filter(({ remedy }) => remedy === undefined);
};
