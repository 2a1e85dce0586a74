/**
 * Adopts a network of another controller from its database.
 * @module overlay-controller/adoption
 */

import { withNodePlatform } from '../adapters/node/default-platform.ts';
import { type AdoptionOptions, type AdoptionReport, adoptFormerNetwork } from './conversion/index.ts';
import { openFormerDatabase, readFormerDatabase } from './reader/former-database.ts';

export type {
  AdoptedAuthority,
  AdoptedKind,
  AdoptionReport,
  FormerAdministrator,
  Losing,
  Loss,
  LossName,
} from './conversion/index.ts';
export { AdoptionRefused, LOSSES } from './conversion/index.ts';
export { FormerDatabaseError } from './reader/former-error.ts';

/** The source and the target of an adoption. */
export interface AdoptNetworkOptions extends Omit<AdoptionOptions, 'former'> {
  /** The database of the former controller, a snapshot of it, or a gzipped snapshot of a cluster. It is never written. */
  readonly database: string;
}

/**
 * Adopts the network in the database of another controller into an empty store, in one transaction: afterwards, the store has all of it or
 * nothing. The former controller must be off, except for a plan.
 *
 * ```ts
 * const report = await adoptNetwork({ database: 'ctrl.db', authority, storage, secretKey, plan: true });
 * ```
 * @throws AdoptionRefused if the store is not empty, if something would be lost that `allow` does not name, or if the network cannot be
 * stored; FormerDatabaseError if the database cannot be read, or is in use; TypeError for invalid options; errors of the file system and of
 * the store
 */
export const adoptNetwork = async (options: AdoptNetworkOptions): Promise<AdoptionReport> => {
  const { database, ...others } = withNodePlatform(options);
  if (options.plan) return readFormerDatabase(database, { whileInUse: true }, (former) => adoptFormerNetwork({ ...others, former }));
  const former = await openFormerDatabase(database);
  try {
    return await adoptFormerNetwork({ ...others, former });
  } finally {
    await former.close();
  }
};
