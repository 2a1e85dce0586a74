/**
 * Integrity faults of rows that follow from the field tables: references to missing entities. The remedy is what deleting the referenced entity
 * should have done.
 */

import { withDerived } from '../api/kit/derived.ts';
import type { Field } from '../api/kit/field.ts';
import type { Kind } from '../api/kit/resource.ts';
import { readSelectors, selectorOfId } from '../api/kit/roles.ts';
import type { Entities } from '../entities/entities.ts';
import type { Row } from '../storage/port.ts';
import { kindOf } from './kinds.ts';
import { unknownIds } from './references.ts';
import { removeEntity } from './removal.ts';

export interface Fault {
  readonly id: string;
  readonly description: string;
  /** The entity that is referred to and is not there; undefined for other faults. */
  readonly missing?: { readonly target: string; readonly id: string };
  readonly remedy: Remedy | undefined;
}

type Remedy = { readonly do: 'remove' } | { readonly do: 'set'; readonly field: string; readonly value: unknown };

/** A field that points at entities of a kind. */
interface Pointer {
  readonly field: string;
  readonly target: string;
  /** The ids that a value of the field names. */
  ids(value: unknown): readonly string[];
  /** The remedy for a row in which these ids refer to nothing; `isThere` answers for other ids. */
  remedy(row: Row, missing: ReadonlySet<string>, isThere: (id: string) => boolean): Remedy | undefined;
  /** Further ids that the remedy may want. */
  readonly wanted: readonly string[];
}

// Values should have the shapes that the field tables say, but this check does not rely on it.
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
const mapIn = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const pointerOf = (field: string, { reference, keys, set, default: unset, write }: Field): Pointer | undefined => {
  const put = (value: unknown): Remedy => ({ do: 'set', field, value });
  const common = { field, wanted: [] };
  if (reference) {
    const fallback = typeof unset === 'string' ? [unset] : [];
    return {
      field,
      target: reference.target,
      ids: (value) => (reference.standIn?.(String(value)) ? [] : [String(value)]),
      remedy: (_row, _missing, isThere) => {
        if (reference.onDelete === 'cascade') return { do: 'remove' };
        if (fallback.some(isThere)) return put(unset);
        return reference.onDelete === 'unset' || (unset === null && write === 'optional') ? put(null) : undefined;
      },
      wanted: fallback,
    };
  }
  if (keys)
    return {
      ...common,
      target: keys,
      ids: (value) => Object.keys(mapIn(value)),
      remedy: (row, missing) => put(Object.fromEntries(Object.entries(mapIn(row[field])).filter(([id]) => !missing.has(id)))),
    };
  if (set?.of === 'references')
    return {
      ...common,
      target: set.target,
      ids: texts,
      remedy: (row, missing) => put(texts(row[field]).filter((id) => !missing.has(id))),
    };
  if (set?.of !== 'selectors') return undefined;
  return {
    ...common,
    target: set.target,
    ids: (value) => readSelectors(texts(value)).ids,
    remedy: (row, missing) => {
      const gone = new Set([...missing].map(selectorOfId));
      return put(texts(row[field]).filter((entry) => !gone.has(entry)));
    },
  };
};

interface Checks {
  readonly pointers: readonly Pointer[];
  /** True if some fields follow from others. */
  readonly isDerived: boolean;
}

const known = new WeakMap<Kind, Checks>();

/** The checks for rows of a kind. Fields that a view shares with its table are checked there. */
const checksOf = (kind: Kind): Checks => {
  let checks = known.get(kind);
  if (!checks) {
    const table = kind.view && kindOf(kind.view.of)?.fields;
    const own = Object.entries(kind.fields).filter(([name, field]) => table?.[name] !== field);
    checks = {
      pointers: own.flatMap(([name, field]) => pointerOf(name, field) ?? []),
      isDerived: own.some(([, { set }]) => set?.of === 'attributeIndex' || set?.of === 'keys'),
    };
    known.set(kind, checks);
  }
  return checks;
};

export const mayHaveFaults = (kind: Kind): boolean => checksOf(kind).pointers.length > 0 || checksOf(kind).isDerived;

/** The faults of some rows of a kind, at the cost of one question for each kind that they point at. */
export const faultsOf = async (entities: Entities, kind: Kind, rows: readonly Row[]): Promise<readonly Fault[]> => {
  const { pointers, isDerived } = checksOf(kind);
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
    return isDerived ? [...dangling, ...underived(kind, row)] : dangling;
  });
};

const idsIn = ({ field, ids }: Pointer, row: Row): readonly string[] => {
  const value = row[field];
  return value === null || value === undefined ? [] : ids(value);
};

const missingTargets = async (entities: Entities, pointers: readonly Pointer[], rows: readonly Row[]) => {
  const asked = Map.groupBy(pointers, ({ target }) => target);
  const missing = new Map<string, ReadonlySet<string>>();
  for (const [target, its] of asked) {
    const ids = new Set(its.flatMap((pointer) => [...pointer.wanted, ...rows.flatMap((row) => idsIn(pointer, row))]));
    missing.set(target, new Set(await unknownIds(entities, target, [...ids])));
  }
  return missing;
};

/** Fields that do not say what follows from the others. */
const underived = (kind: Kind, row: Row): readonly Fault[] => {
  const right = withDerived(kind.fields, row);
  // Rows of an earlier release lack sets that it did not know: these are empty.
  const textOf = (field: string, { [field]: value }: Row) => JSON.stringify(value ?? (kind.fields[field]?.set ? [] : value));
  return Object.keys(kind.fields).flatMap((field): readonly Fault[] =>
    textOf(field, row) === textOf(field, right)
      ? []
      : [
          {
            id: row.id,
            description: `${kind.collection}.${field} of ${kind.kind} ${row.id} does not follow from its other fields`,
            remedy: { do: 'set', field, value: right[field] },
          },
        ],
  );
};

/**
 * Makes a row right, as far as that can be.
 * @returns the faults for which there is no remedy
 * @throws ApiError when the remedy would delete what something else needs
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
