import { BoltFile } from './bolt/file.ts';
import { expand } from './expand.ts';
import type { FormerEntity, FormerKind } from './fields/former-entities.ts';
import { FormerDatabaseError } from './former-error.ts';
import { type FormerMember, FormerNetwork } from './former-network.ts';
import { SourceFile } from './source-file.ts';

/** Options for opening a former database. */
export interface FormerDatabaseOptions {
  /**
   * Reads the database although its owner runs: for a plan, which may be of the past by the time that it is shown. Default: false, and the
   * error `IN_USE` names the process that has it open, where the system tells (Linux).
   */
  readonly whileInUse?: boolean | undefined;
  /** The largest database, in bytes, that a gzipped snapshot may hold. Default: 16 GiB. */
  readonly maxBytes?: number | undefined;
  /** The folder for the temporary file of a gzipped snapshot. Default: the system's. */
  readonly temporaryFolder?: string | undefined;
}

/** The database of a network of the former controller. Nothing of it is ever written. */
export interface FormerDatabase {
  /** 38 to 44. */
  readonly schemaVersion: number;
  /** True if it is that of a member of a cluster. */
  readonly isCluster: boolean;
  /** The members of the cluster; empty without one. */
  readonly members: readonly FormerMember[];
  /** True if the file is a snapshot, whose owner need not be stopped. */
  readonly isSnapshot: boolean;
  /** The number of entities of each bucket, of kinds that are not adopted, too, such as `sessions`. */
  counts(): ReadonlyMap<string, number>;
  /**
   * The ids of the entities of a kind, in the order of their bytes.
   * @throws FormerDatabaseError while it is iterated
   */
  ids(kind: FormerKind): Iterable<string>;
  /**
   * The entities of a kind, in the order of their ids' bytes, read one after the other: only one is in memory.
   * @throws FormerDatabaseError while it is iterated
   */
  entities<K extends FormerKind>(kind: K): Iterable<FormerEntity<K>>;
  /** One entity; undefined if there is none. */
  entity<K extends FormerKind>(kind: K, id: string): FormerEntity<K> | undefined;
  /** The name of an entity, of which a long one is cut; undefined if there is none. It costs little, however large the entity is. */
  nameOf(kind: FormerKind, id: string): string | undefined;
  /**
   * Call it when everything is read: until then, what was read may be of two states.
   * @throws FormerDatabaseError `CHANGED` if the file was written to or replaced since it was opened, `IN_USE` if its owner was started
   */
  assertUnchanged(): void;
  /** Closes the file, and removes the temporary one. */
  close(): Promise<void>;
}

/**
 * Opens a former database: the file of a single controller or of a member of a cluster (`ctrl-ha.db`), a snapshot of either, or the gzipped
 * `state.bin` of a cluster's snapshot, which is expanded to a temporary file.
 * @throws FormerDatabaseError; errors of the file system as they are
 */
export const openFormerDatabase = async (path: string, options: FormerDatabaseOptions = {}): Promise<FormerDatabase> => {
  const source = new SourceFile(path);
  try {
    if (!options.whileInUse) source.assertNotInUse();
    return source.isGzip ? await openExpanded(source, options) : openPlain(source, options);
  } catch (error) {
    source.close();
    throw error;
  }
};

/** The number of times that a changing database is read. */
const READS = 5;

/**
 * Opens a former database, reads what `read` asks of it, and closes it. If it was written to meanwhile, `read` is called again, up to 5
 * times; so it must have no effects outside.
 * @throws FormerDatabaseError `CHANGED` if it was written to each time
 */
export const readFormerDatabase = async <T>(
  path: string,
  options: FormerDatabaseOptions,
  read: (database: FormerDatabase) => T | Promise<T>,
): Promise<T> => {
  for (let reads = 1; ; reads++)
    try {
      return await readOnce(path, options, read);
    } catch (error) {
      if (!(error instanceof FormerDatabaseError && error.code === 'CHANGED')) throw error;
      if (reads === READS) throw new FormerDatabaseError('CHANGED', `${error.message}, at each of ${READS} attempts: ${REMEDY}`);
    }
};

const REMEDY =
  'its owner keeps writing to it: read a snapshot, which the former controller takes with "ziti edge db snapshot", or stop the controller';

/** Apparent damage may be in pages that were written to meanwhile. */
const readOnce = async <T>(
  path: string,
  options: FormerDatabaseOptions,
  read: (database: FormerDatabase) => T | Promise<T>,
): Promise<T> => {
  const database = await openFormerDatabase(path, options);
  try {
    const reading = (async () => read(database))();
    return await reading.finally(() => database.assertUnchanged());
  } finally {
    await database.close();
  }
};

const openPlain = (source: SourceFile, { whileInUse }: FormerDatabaseOptions): FormerDatabase => {
  const file = new BoltFile(source.fd);
  const assertUnchanged = (): void => {
    source.assertInPlace();
    if (!file.isUnchanged()) throw new FormerDatabaseError('CHANGED', `${source.path} was written to while it was read`);
    if (!whileInUse) source.assertNotInUse();
  };
  try {
    return databaseOf(new FormerNetwork(file), { assertUnchanged, close: async () => source.close() });
  } catch (error) {
    assertUnchanged();
    throw error;
  }
};

const openExpanded = async (source: SourceFile, options: FormerDatabaseOptions): Promise<FormerDatabase> => {
  const { fd, close } = await expand(source.fd, options);
  try {
    return databaseOf(new FormerNetwork(new BoltFile(fd)), {
      isSnapshot: true,
      assertUnchanged: () => source.assertSame(),
      close: async () => {
        source.close();
        await close();
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
};

interface Ends extends Pick<FormerDatabase, 'assertUnchanged' | 'close'> {
  readonly isSnapshot?: boolean;
}

const databaseOf = (network: FormerNetwork, { isSnapshot = network.isSnapshot, assertUnchanged, close }: Ends): FormerDatabase => ({
  schemaVersion: network.schemaVersion,
  isCluster: network.isCluster,
  members: network.members,
  isSnapshot,
  counts: () => network.counts(),
  ids: (kind) => ({ [Symbol.iterator]: () => network.ids(kind) }),
  entities: (kind) => ({ [Symbol.iterator]: () => network.entities(kind) }),
  entity: (kind, id) => network.entity(kind, id),
  nameOf: (kind, id) => network.nameOf(kind, id),
  assertUnchanged,
  close,
});
