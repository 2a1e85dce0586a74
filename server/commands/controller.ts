import { nodePlatform } from '../../adapters/platform/node.ts';
import type { KyselyStorage } from '../../adapters/storage/kysely/index.ts';
import { hasSecretKey, inspectStore, ManagementController, type Settings } from '../../src/index.ts';
import type { Given } from '../arguments.ts';
import { StartFailure } from '../failure.ts';
import { keepSecretKey, secretKeyIn } from '../secret-key.ts';
import type { Environment } from '../sources.ts';
import { prepareKept } from '../storage.ts';
import { dataFolderOf, keptStorageOf } from '../storage-option.ts';

/** An existing network, opened for a command that changes it. */
export interface Network {
  readonly storage: KyselyStorage;
  /** The database, in the form of the option `--storage`. */
  readonly name: string;
  readonly secretKeys: readonly string[];
  /** The file of the secret key, if the server keeps one. */
  readonly keyFile: string | undefined;
}

/**
 * Finds the network in a database, without migrating or creating it.
 * @throws StartFailure if there is none, or its key is missing; StoreSchemaMismatch if the database must be migrated first
 */
export const networkIn = async (given: Given<'storage' | 'secret-key-file'>, environment: Environment): Promise<Network> => {
  const chosen = keptStorageOf(given.get('storage'));
  const { adapter, name } = await prepareKept(chosen, { readOnly: true });
  if ((await adapter.plan()).version === 0 || !(await hasSecretKey(adapter)))
    throw new StartFailure(`there is no network in ${name}: the server creates one when it starts, or the command create-admin does`);
  const { adapter: storage } = await prepareKept(chosen, { migrate: false });
  const { key = [], file } = await keepSecretKey({ ...secretKeyIn(given, environment), storage: chosen }, adapter, dataFolderOf(chosen));
  return { storage, name, secretKeys: key, keyFile: file };
};

/** Opens a controller without a server for the duration of `work`. Servers may be running on the same store. */
export const withController = async <T>(
  { storage, secretKeys }: Pick<Network, 'storage' | 'secretKeys'>,
  work: (controller: ManagementController) => Promise<T>,
): Promise<T> => {
  const controller = await ManagementController.open({
    storage,
    secretKey: secretKeys,
    platform: nodePlatform(),
    settings: { ...KEEPING_ALL, endSessionsOnPasswordChange: true },
  });
  return work(controller).finally(() => controller.close());
};

/**
 * The settings of a controller that a command opens. What a network keeps, accepts and announces is decided by its servers, whose settings a command does not
 * know: it drops no record, announces nothing early, and accepts all that a server may have stored. Commands issue nothing that names the address.
 */
export const KEEPING_ALL: Partial<Settings> = {
  address: 'https://127.0.0.1:1280',
  changesKept: Number.POSITIVE_INFINITY,
  changeBytesKept: Number.POSITIVE_INFINITY,
  changesKeptForDays: 0,
  expiryNoticeMinutes: 0,
  apiTokenNoticeDays: 1,
  numericTags: true,
};

/** True if the network in a store has its first administrator. */
export const hasAdministrator = async (storage: KyselyStorage): Promise<boolean> => {
  const inspection = await inspectStore({ storage });
  const { pagination } = await inspection.list('identity', { filter: 'isDefaultAdmin = true' }).finally(() => inspection.close());
  return pagination.totalCount > 0;
};
