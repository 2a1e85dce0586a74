/** What a series of changes comes to: for each entity, its state before the first and after the last of them. */
import type { Kind } from '../../../api/kit/index.ts';
import type { Row } from '../../../storage/port.ts';

/** A change of an entity, as change records have it. */
export interface EntityChange {
  /** The kind of the entity. */
  readonly entity: string;
  readonly entityId: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An entity in two states; undefined in one in which it does not exist. */
export interface InBoth<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Both states of each entity, as far as it exists in them. */
export const statesIn = <T>(entities: readonly InBoth<T>[]): readonly T[] =>
  entities.flatMap(({ before, after }) => [before, after]).filter((row) => row !== undefined);

/** The entities that were written between two states, by kind and id. */
export type NetChanges = (kind: Kind) => ReadonlyMap<string, InBoth<Row>>;

const NONE: ReadonlyMap<string, InBoth<Row>> = new Map();

/** @param changes in order of revision, without gaps */
export const netChanges = (changes: readonly EntityChange[]): NetChanges => {
  const net = growingNetChanges();
  for (const change of changes) net.add(change);
  return net.changes;
};

/** Net changes to which later changes are added. */
export const growingNetChanges = () => {
  const byKind = new Map<string, Map<string, InBoth<Row>>>();
  let size = 0;
  return {
    /** Number of entities that were written. */
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
    changes: (({ kind }) => byKind.get(kind) ?? NONE) satisfies NetChanges as NetChanges,
  };
};

/**
 * Orders entities of a kind that have the same name, such as one that is deleted and the one that takes its place. The key of an entity that exists in the
 * earlier state is its id. A preview gives those that it creates other ids each time, so their key is their place among the changes.
 */
export const orderKeys = (changes: NetChanges, kind: Kind): ((id: string) => string) => {
  const created = [...changes(kind)]
    .filter(([, { before }]) => !before)
    .map(([id], place) => [id, `+${String(place).padStart(9, '0')}`] as const);
  const keys = new Map(created);
  return (id) => keys.get(id) ?? id;
};

const stateOf = (row: object | null): Row | undefined => (row as Row | null) ?? undefined; // change records hold rows, without hidden fields
