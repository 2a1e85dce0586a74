import { nodePlatform } from '../../adapters/platform/node.ts';
import type { KyselyStorage } from '../../adapters/storage/kysely/index.ts';
import { hasSecretKey, inspectStore, ManagementController, type Settings } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { StartFailure } from '../failure.ts';
import { secretKeyOfNetwork } from '../secret-key.ts';
import type { Environment } from '../sources.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import type { networkOptions } from './command.ts';

/** An existing network, as a command opens it. */
export interface Network {
  readonly storage: KyselyStorage;
  /** The database in the notation of `--storage`, without secrets. */
  readonly name: string;
  readonly secretKeys: readonly string[];
  /** The file that contains the secret key, if there is one. */
  readonly keyFile: string | undefined;
}

/**
 * Finds the network in a database, without migrating or creating it.
 * @throws StartFailure if there is none, or its secret key is missing; StoreSchemaMismatch if the database must be migrated first
 */
export const findNetwork = async (given: OptionValues<keyof typeof networkOptions>, environment: Environment): Promise<Network> => {
  const chosen = parseKeptStorage(given.get('storage'));
  const { adapter, name } = await prepareKept(chosen, { readOnly: true });
  if ((await adapter.plan()).version === 0 || !(await hasSecretKey(adapter)))
    throw new StartFailure(`there is no network in ${name}: the server creates one when it starts, or the command create-admin does`);
  const { adapter: storage } = await prepareKept(chosen, { migrate: false });
  const { key = [], file } = await secretKeyOfNetwork(given, environment, chosen, adapter);
  return { storage, name, secretKeys: key, keyFile: file };
};

/** Runs `work` with a controller that has no server. Servers may be running on the same database. */
export const withController = async <T>(
  { storage, secretKeys }: Pick<Network, 'storage' | 'secretKeys'>,
  work: (controller: ManagementController) => Promise<T>,
): Promise<T> => {
  const controller = await ManagementController.open({
    storage,
    secretKey: secretKeys,
    platform: nodePlatform(),
    settings: { ...COMMAND_SETTINGS, endSessionsOnPasswordChange: true },
  });
  return work(controller).finally(() => controller.close());
};

/**
 * The settings of a controller that a command opens. The settings of the network's servers are unknown, so it deletes no change records,
 * announces no expiry in advance, and accepts every value that a server may have stored. The address is a placeholder that nothing issued
 * by a command contains.
 */
export const COMMAND_SETTINGS: Partial<Settings> = {
  address: 'https://127.0.0.1:1280',
  changesKept: Number.POSITIVE_INFINITY,
  changeBytesKept: Number.POSITIVE_INFINITY,
  changesKeptForDays: 0,
  journalKept: Number.POSITIVE_INFINITY,
  journalKeptForDays: 0,
  usageKept: Number.POSITIVE_INFINITY,
  trafficHistory: 0,
  expiryNoticeMinutes: 0,
  apiTokenNoticeDays: 1,
  numericTags: true,
};

/** True if the network in a database has its first administrator. */
export const hasAdministrator = async (storage: KyselyStorage): Promise<boolean> => {
  const inspection = await inspectStore({ storage });
  const { pagination } = await inspection.list('identity', { filter: 'isDefaultAdmin = true' }).finally(() => inspection.close());
  return pagination.totalCount > 0;
};
