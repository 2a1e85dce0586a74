/**
 * Calls of the controller within interactive Prisma transactions.
 * @module overlay-controller/storage/prisma
 */
import type { HostTransactions } from './kysely/host-transactions.ts';
import type { ResultRow } from './kysely/result.ts';

/** The client of an interactive Prisma transaction (`Prisma.TransactionClient`), reduced to the members that are used here. */
export interface PrismaTransaction {
  /** Executes a statement that returns rows. */
  $queryRawUnsafe<Rows>(sql: string, ...parameters: unknown[]): PromiseLike<Rows>;
  /** Executes any other statement. Resolves to the number of rows written. */
  $executeRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<number>;
}

/**
 * Accepts the interactive transactions that Prisma 7's `prisma.$transaction(async (transaction) => { ... })` passes to its callback, on
 * PostgreSQL and SQLite. Prisma ends them after 5 seconds by default; its option `timeout` changes that.
 *
 * ```ts
 * const storage = postgresStorage({ connectionString, hostTransactions: prismaTransactions });
 * await prisma.$transaction(async (transaction) => {
 *   const { id } = await controller.api.identities.create({ body }, { transaction });
 *   await transaction.customer.create({ data: { id } });
 * });
 * ```
 */
export const prismaTransactions: HostTransactions<PrismaTransaction> = {
  // Unlike Prisma's main client, the client of a transaction has no methods that open and close connections.
  isTransaction: (host): host is PrismaTransaction =>
    typeof host === 'object' &&
    host !== null &&
    '$queryRawUnsafe' in host &&
    '$executeRawUnsafe' in host &&
    Reflect.get(host, '$connect') === undefined,
  async execute(transaction, { sql, parameters, returnsRows }) {
    try {
      if (!returnsRows) return { rows: [], written: await transaction.$executeRawUnsafe(sql, ...parameters) };
      return { rows: await transaction.$queryRawUnsafe<readonly ResultRow[]>(sql, ...parameters), written: 0 };
    } catch (error) {
      throw toDriverError(error);
    }
  },
};

/** `Transaction API error`: the transaction was closed or timed out. */
const CLOSED = 'P2028';

/** Prisma's description of a driver error. */
interface DriverFault {
  readonly originalCode?: string;
  readonly originalMessage?: string;
  readonly table?: string;
  readonly constraint?: { readonly index?: string };
}

/** Restores the driver's error, so that the SQL engine recognizes its code. */
const toDriverError = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === CLOSED) return new TypeError('the transaction is over', { cause: error });
  const { meta } = error as { readonly meta?: { readonly driverAdapterError?: { readonly cause?: DriverFault } } }; // of a PrismaClientKnownRequestError
  const { originalCode: code, originalMessage, table, constraint } = meta?.driverAdapterError?.cause ?? {};
  if (code === undefined) return error;
  return Object.assign(new Error(originalMessage, { cause: error }), { code, table, constraint: constraint?.index });
};
