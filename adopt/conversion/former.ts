/**
 * The network of another controller as its database holds it. The types of its entities follow from the fields that the reader in
 * `adopt/reader/` declares, with their names in the database; only these types are known here.
 */
import type { FormerEntities } from '../reader/fields/former-entities.ts';

/** The entities of each kind that is adopted, by the name that it has in the database. */
export type FormerKinds = Omit<FormerEntities, 'revocations'>;

/** An entity of a kind: `Former<'identities'>`. */
export type Former<K extends keyof FormerKinds> = FormerKinds[K];

/** The network of another controller, open for reading. */
export interface FormerNetwork {
  /** The version of its schema. */
  readonly schemaVersion: number;
  /** The number of its entities of each kind, by the name in the database: of kinds that are not adopted, too. */
  counts(): ReadonlyMap<string, number>;
  /** The ids of the entities of a kind, one at a time, in the order of `entities`. */
  ids(kind: keyof FormerKinds): Iterable<string>;
  /** The entities of a kind, one at a time. Reading them again gives the same ones. */
  entities<K extends keyof FormerKinds>(kind: K): Iterable<FormerKinds[K]>;
  /** The name of an entity, of which a long one may be cut; undefined if there is none. */
  nameOf(kind: keyof FormerKinds, id: string): string | undefined;
  /**
   * Called after the last read.
   * @throws if the network has changed since it was opened
   */
  assertUnchanged(): void;
}
