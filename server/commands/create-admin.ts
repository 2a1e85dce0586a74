import { nodePlatform } from '../../adapters/platform/node.ts';
import { ManagementController } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { readPassword } from '../password.ts';
import { secretKeyOfNetwork } from '../secret-key.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import { defineCommand, networkOptions } from './command.ts';
import { COMMAND_SETTINGS, hasAdministrator } from './network.ts';

export const createAdmin = defineCommand({
  summary: 'create a new network with its first administrator, without starting a server',
  options: {
    username: { value: 'NAME', about: 'username of the administrator (default admin)' },
    name: { value: 'NAME', about: 'name of its identity (default Default Admin)' },
    ...networkOptions,
  },
  notes:
    'The password is read from the variable ADMIN_PASSWORD, or the file in ADMIN_PASSWORD_FILE; without it, from a prompt on a terminal, or from the first line of standard input. No secrets are printed.',
  run: async (given, environment) => {
    const chosen = parseKeptStorage(given.get('storage'));
    const before = await prepareKept(chosen, { migrate: false });
    const isNew = (await before.adapter.plan()).version === 0;
    // Creates the tables of an empty database only: those of an existing one are changed by the command migrate.
    const { adapter, name } = isNew ? await prepareKept(chosen) : before;
    if (!isNew && (await hasAdministrator(adapter)))
      throw new StartFailure(`the network in ${name} already has its administrator: use the command reset-password for a lost password`);
    const [username, identityName] = [given.get('username') ?? 'admin', given.get('name')];
    const password = await readPassword({ variable: 'ADMIN_PASSWORD', environment, username });
    const { key, file } = await secretKeyOfNetwork(given, environment, chosen, adapter);
    const controller = await ManagementController.open({
      storage: adapter,
      platform: nodePlatform(),
      settings: COMMAND_SETTINGS,
      administrator: { username, password, ...(identityName === undefined ? {} : { name: identityName }) },
      ...(key === undefined ? {} : { secretKey: key }),
    });
    await controller.close();
    // A server that started concurrently may have created the administrator first.
    if (!controller.firstAdministrator) throw new StartFailure(`the network in ${name} already has its administrator`);
    return `created the administrator ${username} in ${name}${file === undefined ? '' : `; the secret key of the network is in ${file}`}`;
  },
});
