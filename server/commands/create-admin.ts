import { nodePlatform } from '../../adapters/platform/node.ts';
import { ManagementController } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { readPassword } from '../password.ts';
import { keepSecretKey, secretKeyFile, secretKeyIn } from '../secret-key.ts';
import { prepareKept } from '../storage.ts';
import { dataFolderOf, keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';
import { hasAdministrator, KEEPING_ALL } from './controller.ts';

export const createAdmin = command({
  summary: 'create a new network with its first administrator, without starting a server',
  options: {
    username: { value: 'NAME', about: 'username of the administrator (default admin)' },
    name: { value: 'NAME', about: 'name of its identity (default Default Admin)' },
    storage,
    'secret-key-file': secretKeyFile,
  },
  notes:
    "The password is the environment's ADMIN_PASSWORD; without it, it is asked for at a terminal, or read as the first line of standard input. Nothing secret is printed.",
  run: async (given, environment) => {
    const chosen = keptStorageOf(given.get('storage'));
    const before = await prepareKept(chosen, { migrate: false });
    const isNew = (await before.adapter.plan()).version === 0;
    // Only an empty database gets its tables here; an existing one is left to the command migrate.
    const { adapter, name } = isNew ? await prepareKept(chosen) : before;
    if (!isNew && (await hasAdministrator(adapter)))
      throw new StartFailure(`the network in ${name} already has its administrator: use the command reset-password for a lost password`);
    const [username, identityName] = [given.get('username') ?? 'admin', given.get('name')];
    const password = await readPassword({ variable: 'ADMIN_PASSWORD', environment, whose: username });
    const { key, file } = await keepSecretKey({ ...secretKeyIn(given, environment), storage: chosen }, adapter, dataFolderOf(chosen));
    const controller = await ManagementController.open({
      storage: adapter,
      platform: nodePlatform(),
      settings: KEEPING_ALL,
      administrator: { username, password, ...(identityName === undefined ? {} : { name: identityName }) },
      ...(key === undefined ? {} : { secretKey: key }),
    });
    await controller.close();
    // A server that started at the same time may have created the administrator first.
    if (!controller.firstAdministrator) throw new StartFailure(`the network in ${name} already has its administrator`);
    return `created the administrator ${username} in ${name}${file === undefined ? '' : `; the secret key of the network is in ${file}`}`;
  },
});
