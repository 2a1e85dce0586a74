/** Checks the requirements for a database or its connections, other than the tables. */
import { StorageError, StoreUnavailable } from '../../../src/adapter-kit.ts';
import { type Connection, run } from './connection.ts';
import type { SqlEngine } from './engine/index.ts';
import type { Requirement } from './engine/tables.ts';

/** The requirements of an engine that are not met. */
export const unmetRequirements = async (engine: SqlEngine, connection: Connection): Promise<readonly Requirement[]> => {
  const unmet: Requirement[] = [];
  for (const requirement of engine.requirements) if (!(await isMet(engine, connection, requirement))) unmet.push(requirement);
  return unmet;
};

/** @throws StorageError with instructions if a requirement is not met. */
export const assertRequirements = async (engine: SqlEngine, connection: Connection): Promise<void> => {
  for (const requirement of engine.requirements) {
    const { advice } = requirement;
    const isRequirementMet = await isMet(engine, connection, requirement).catch((error: unknown) => {
      throw error instanceof StoreUnavailable ? error : new StorageError(advice, { cause: error });
    });
    if (!isRequirementMet) throw new StorageError(advice);
  }
};

const isMet = async (engine: SqlEngine, connection: Connection, { probe }: Requirement): Promise<boolean> =>
  Number((await run(engine, connection, probe)).rows[0]?.value) !== 0;
