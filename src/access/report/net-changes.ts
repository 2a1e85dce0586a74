/** The net effect of a series of changes: for each entity, its state before the first and after the last of them. */
import type { Kind } from '../../contract/api/kit/index.ts';
import type { Row } from '../../store/storage/port.ts';

/** The fields of a change record that net changes need. */
export interface EntityChange {
  /** The kind of the entity. */
  readonly entity: string;
  readonly entityId: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An entity in two states; undefined in a state in which it does not exist. */
export interface BeforeAfter<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export const idOf = ({ before, after }: BeforeAfter<{ readonly id: string }>): string => (after ?? before)?.id ?? '';

/** The states in which the entities exist. */
export const presentStates = <T>(entities: readonly BeforeAfter<T>[]): readonly T[] =>
  entities.flatMap(({ before, after }) => [before, after]).filter((row) => row !== undefined);

/** Returns the entities of a kind that were written between two states, by id. */
export type NetChanges = (kind: Kind) => ReadonlyMap<string, BeforeAfter<Row>>;

const NONE: ReadonlyMap<string, BeforeAfter<Row>> = new Map();

/** @param changes in order of revision, without gaps */
export const netChanges = (changes: readonly EntityChange[]): NetChanges => {
  const net = createNetChanges();
  for (const change of changes) net.add(change);
  return net.changes;
};

/** Creates net changes that grow change by change. */
export const createNetChanges = () => {
  const byKind = new Map<string, Map<string, BeforeAfter<Row>>>();
  let size = 0;
  const changes: NetChanges = ({ kind }) => byKind.get(kind) ?? NONE;
  return {
    /** Number of written entities. */
    get size() {
      return size;
    },
    add: ({ entity, entityId, before, after }: EntityChange): void => {
      let ofKind = byKind.get(entity);
      if (!ofKind) byKind.set(entity, (ofKind = new Map()));
      const first = ofKind.get(entityId);
      if (!first) size++;
      ofKind.set(entityId, { before: first ? first.before : stateOf(before), after: stateOf(after) });
    },
    changes,
  };
};

/**
 * Returns keys that order entities with the same name. The key of an entity that exists in the earlier state is its id. A preview assigns
 * new ids each time, so the key of a created entity is its position among the changes.
 */
export const orderKeys = (changes: NetChanges, kind: Kind): ((id: string) => string) => {
  const created = [...changes(kind)]
    .filter(([, { before }]) => !before)
    .map(([id], position) => [id, `+${String(position).padStart(9, '0')}`] as const);
  const keys = new Map(created);
  return (id) => keys.get(id) ?? id;
};

const stateOf = (row: object | null): Row | undefined => (row as Row | null) ?? undefined; // change records hold rows, without hidden fields
