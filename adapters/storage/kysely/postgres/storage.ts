/**
 * Stores the data of one or more controllers in a PostgreSQL database, accessed through `pg`. The host's own tables may be in the same
 * database.
 */
import { clearTimeout, setTimeout } from 'node:timers';
import type { Kysely, PostgresPool } from 'kysely';
import { checkedOptions, ReaderSlots } from '../../../../src/adapter-kit.ts';
import { limitWait, serialized } from '../connection.ts';
import { kysely } from '../library.ts';
import { type KyselyStorage, LOCK_TIMEOUT, STORE_OPTIONS, type StoreOptions, storageOver } from '../storage.ts';
import type { Source } from '../store.ts';
import { clientInTransaction } from './connection.ts';
import { newPool, type PgPool } from './driver.ts';
import { postgres, postgresIn } from './engine.ts';
import { failoverPool } from './failover.ts';
import { connectionStrings } from './hosts.ts';
import { ignored, type PoolConnections, poolConnections } from './pool.ts';

/** Options for connecting to a PostgreSQL database and using it. */
export type PostgresStorageOptions = StoreOptions & {
  /**
   * Name of the schema that all tables are in; migrations create it. Default: the parameter `schema` of the connection string, or else the
   * current schema of the connection, which is the first existing schema in its `search_path`. Tables in other schemas are not found.
   */
  readonly schema?: string;
  /** True to run pending migrations in `open`. Default: true. */
  readonly migrate?: boolean;
  /**
   * True to prepare recurring statements, once per connection. Default: the parameter `prepared` of the connection string, or else true
   * unless a connection pooler is detected, which may share the server's sessions between transactions. Set it to true for poolers that
   * keep prepared statements.
   */
  readonly prepared?: boolean;
} & (
    | {
        /**
         * `postgres://user:password@host:port/database?sslmode=...`, as in `pg`. The pool is closed with the last store. Several hosts as
         * in libpq (`postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`) are tried in order, beginning
         * with the last one that worked: see `target_session_attrs` in the guide.
         */
        readonly connectionString: string;
        /** The maximum number of connections. Default: 10. */
        readonly connections?: number;
        /** Time to wait for a connection, in milliseconds, before the database counts as unavailable. Default: 5000. */
        readonly connectTimeout?: number;
      }
    /** A pool of the host, which is not closed with the store. */
    | { readonly pool: PgPool }
  );

export interface PostgresStorage extends KyselyStorage {
  /**
   * A Kysely instance over the pool, for the host's own tables. Its transactions can be passed to `Store.join` and to every call of a
   * controller, as can a client of `pg` on which the host has executed `BEGIN`.
   */
  readonly db: Kysely<unknown>;
  /** An adapter for another namespace of the same database over the same connections. */
  within(namespace: string): KyselyStorage;
}

/**
 * Creates a storage adapter for a PostgreSQL database (12 or later, with the encoding UTF8). Requires the package `pg`.
 *
 * ```ts
 * const store = await postgresStorage({ connectionString: 'postgres://localhost/controller' }).open(storageSchema);
 * ```
 */
export const postgresStorage = (options: PostgresStorageOptions): PostgresStorage => {
  checkedOptions('postgresStorage', options, OPTIONS);
  let shared: SharedDatabase | undefined;
  const current = (): SharedDatabase => {
    if (!shared || shared.isClosed) shared = new SharedDatabase(options);
    return shared;
  };
  preparedOf(options); // throws early for invalid options
  const schema = schemaOf(options);
  const engine = schema === undefined ? postgres : postgresIn(schema);
  const storageWith = (changes: Partial<StoreOptions>) =>
    storageOver(engine, { migrate: true, ...options, ...changes }, () => current().source());
  return {
    ...storageWith({}),
    within: (namespace) => storageWith({ namespace }),
    get db() {
      return current().db;
    },
  };
};

/** @throws TypeError if the name or the connection string is invalid, or if the option and the connection string name different schemas */
const schemaOf = (options: PostgresStorageOptions): string | undefined => {
  const schemaParameter = 'connectionString' in options ? connectionStrings(options.connectionString).schema : undefined;
  const { schema = schemaParameter } = options;
  if (schema === '') throw new TypeError("the schema must have a name, got ''");
  if (schemaParameter !== undefined && schema !== schemaParameter)
    throw new TypeError(`the option schema is '${schema}', but that of the connection string is '${schemaParameter}'`);
  return schema;
};

/** @throws TypeError if the connection string is invalid, or if the option and the connection string differ */
const preparedOf = (options: PostgresStorageOptions): boolean | undefined => {
  const parameter = 'connectionString' in options ? connectionStrings(options.connectionString).prepared : undefined;
  const { prepared = parameter } = options;
  if (parameter !== undefined && prepared !== parameter)
    throw new TypeError(`the option prepared is ${prepared}, but that of the connection string is ${parameter}`);
  return prepared;
};

const OPTIONS = {
  ...STORE_OPTIONS,
  schema: true,
  prepared: true,
  connectionString: true,
  connections: true,
  connectTimeout: true,
  pool: true,
} as const;

/** The connections to a database, from the first use until the last store is closed. */
class SharedDatabase {
  #db: Kysely<unknown> | undefined;
  isClosed = false;
  readonly #pool: () => Promise<PgPool>;
  readonly #ownsPool: boolean;
  readonly #connections: PoolConnections;
  readonly #slots: ReaderSlots;
  readonly #lockTimeout: number;
  #users = 0;

  constructor(options: PostgresStorageOptions) {
    this.#lockTimeout = options.lockTimeout ?? LOCK_TIMEOUT;
    let pool: Promise<PgPool> | undefined;
    this.#ownsPool = !('pool' in options);
    this.#pool = () => (pool ??= poolOf(options));
    this.#connections = poolConnections(this.#pool, preparedOf(options));
    const count = ('pool' in options ? options.pool.options?.max : options.connections) ?? DEFAULT_CONNECTIONS;
    this.#slots = new ReaderSlots(Math.max(1, count - RESERVED));
  }

  get db(): Kysely<unknown> {
    const { Kysely, PostgresDialect } = kysely();
    this.#db ??= new Kysely({ dialect: new PostgresDialect({ pool: async () => poolOfKysely(await this.#pool()) }) });
    return this.#db;
  }

  source(): Source {
    this.#users++;
    const reader = this.#connections;
    const writer = limitWait(this.#lockTimeout, serialized(reader));
    return { writer, reader, slots: this.#slots, joined: clientInTransaction, close: () => this.#release() };
  }

  async #release(): Promise<void> {
    if (--this.#users > 0 || !this.#ownsPool) return;
    this.isClosed = true;
    const pool = await this.#pool();
    // `end` waits for connections in use, which may be waiting for a server that does not answer.
    const timer = setTimeout(() => this.#connections.destroy(), CLOSING_TIMEOUT);
    await pool.end().finally(() => clearTimeout(timer));
  }
}

const DEFAULT_CONNECTIONS = 10;
/** Default of `connectTimeout`. ms */
const DEFAULT_CONNECT_TIMEOUT = 5000;
/** Connections reserved for writers, administrators and logins, which ordinary readers do not use. */
const RESERVED = 2;
/** Time limit for closing the pool, after which its connections are destroyed. ms */
const CLOSING_TIMEOUT = 3000;
/** Idle time before the first TCP keep-alive probe. ms */
const KEEP_ALIVE_DELAY = 10_000;

const poolOfKysely = (pool: PgPool): PostgresPool => ({
  connect: () => pool.connect(),
  end: () => pool.end(),
  options: pool.options ?? {},
});

const guarded = new WeakSet<PgPool>();

const poolOf = async (options: PostgresStorageOptions): Promise<PgPool> => {
  const pool = 'pool' in options ? options.pool : await newPoolFor(options);
  // The loss of an idle connection needs no handling, but without a listener its error would terminate the process.
  if (!guarded.has(pool)) pool.on('error', ignored);
  guarded.add(pool);
  return pool;
};

type ConnectionOptions = Exclude<PostgresStorageOptions, { pool: PgPool }>;

const newPoolFor = async (options: ConnectionOptions): Promise<PgPool> => {
  const { strings, serverCheck } = connectionStrings(options.connectionString);
  const poolAt = (connectionString: string) => newPool(poolOptions({ ...options, connectionString }));
  if (strings.length === 1 && serverCheck === undefined) return poolAt(strings[0]);
  return failoverPool(await Promise.all(strings.map(poolAt)), serverCheck, options.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT);
};

const poolOptions = ({
  connectionString,
  connections = DEFAULT_CONNECTIONS,
  connectTimeout = DEFAULT_CONNECT_TIMEOUT,
}: ConnectionOptions) => ({
  connectionString,
  max: connections,
  connectionTimeoutMillis: connectTimeout,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
  allowExitOnIdle: true,
  application_name: 'overlay-controller',
});
