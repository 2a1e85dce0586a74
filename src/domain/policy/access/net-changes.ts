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

/** The entities that were written between two states, by kind and id. */
export type NetChanges = (kind: Kind) => ReadonlyMap<string, InBoth<Row>>;

const NONE: ReadonlyMap<string, InBoth<Row>> = new Map();

/** @param changes in order of revision, without gaps */
export const netChanges = (changes: readonly EntityChange[]): NetChanges => {
  const byKind = new Map<string, Map<string, InBoth<Row>>>();
  for (const { entity, entityId, before, after } of changes) {
    let ofKind = byKind.get(entity);
    if (!ofKind) byKind.set(entity, (ofKind = new Map()));
    const first = ofKind.get(entityId);
    ofKind.set(entityId, { before: first ? first.before : stateOf(before), after: stateOf(after) });
  }
  return ({ kind }) => byKind.get(kind) ?? NONE;
};

const stateOf = (row: object | null): Row | undefined => (row as Row | null) ?? undefined; // change records hold rows, without hidden fields
