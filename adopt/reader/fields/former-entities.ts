import type { FORMER_FIELDS } from './entities.ts';
import type { Values } from './field.ts';

/** The kinds of entities that the reader understands, by the names of their buckets. */
export type FormerKind = keyof typeof FORMER_FIELDS;

/** The members of every former entity besides its fields. */
export interface FormerIdentified {
  readonly id: string;
  /**
   * Names of fields that the database has, and the reader does not know, such as `edge.somethingNew`; sorted. Empty for databases of
   * supported releases.
   */
  readonly unknown: readonly string[];
  /** The names of fields with more than 500 objects and lists in each other, of which those below are left out, as null. Absent: none. */
  readonly cut?: readonly string[];
}

/** Kind to the type of its entities, which follows from `FORMER_FIELDS`. */
export type FormerEntities = { readonly [K in FormerKind]: FormerIdentified & Values<(typeof FORMER_FIELDS)[K]> };

/** An entity of a kind. */
export type FormerEntity<K extends FormerKind = FormerKind> = FormerEntities[K];
