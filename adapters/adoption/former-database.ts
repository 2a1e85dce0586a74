import type { FormerEntity, FormerKind } from './fields/former-entities.ts';

/** Options for opening a former database. */
export interface FormerDatabaseOptions {
  /**
   * Reads the database although its owner runs: for a plan, which may be of the past by the time that it is shown. Default: false, and the error `IN_USE`
   * names the process that has it open, where the system tells (Linux).
   */
  readonly whileInUse?: boolean;
  /** The largest database, in bytes, that a gzipped snapshot may hold. Default: 16 GiB. */
  readonly maxBytes?: number;
  /** The folder for the temporary file of a gzipped snapshot. Default: the system's. */
  readonly temporaryFolder?: string;
}

/** A member of a cluster of controllers. */
export interface FormerMember {
  readonly id: string;
  readonly address: string;
  readonly isVoter: boolean;
}

/** The database of a network of the former controller. Nothing of it is ever written. */
export interface FormerDatabase {
  /** 38 to 44. */
  readonly schemaVersion: number;
  /** Whether it is that of a member of a cluster. */
  readonly isCluster: boolean;
  /** The members of the cluster; empty without one. */
  readonly members: readonly FormerMember[];
  /** Whether the file is a snapshot, whose owner need not be stopped. */
  readonly isSnapshot: boolean;
  /** How many entities each bucket has, of kinds that are not adopted, too, such as `sessions`. */
  counts(): ReadonlyMap<string, number>;
  /**
   * The entities of a kind, in the order of their ids' bytes, read one after the other: only one is in memory.
   * @throws FormerDatabaseError while it is iterated
   */
  entities<K extends FormerKind>(kind: K): Iterable<FormerEntity<K>>;
  /** One entity; undefined if there is none. */
  entity<K extends FormerKind>(kind: K, id: string): FormerEntity<K> | undefined;
  /**
   * Call it when everything is read: until then, what was read may be of two states.
   * @throws FormerDatabaseError `CHANGED` if the file was written to since it was opened
   */
  assertUnchanged(): void;
  /** Closes the file, and removes the temporary one. */
  close(): Promise<void>;
}
