import type { ManagementController } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { readPassword } from '../password.ts';
import { secretKeyFile } from '../secret-key.ts';
import { command, storage } from './command.ts';
import { networkIn, withController } from './controller.ts';

export const resetPassword = command({
  summary: 'give an administrator or any other user a new password, and end their API sessions',
  options: {
    username: { value: 'NAME', about: 'whose password (default: that of the first administrator)' },
    enable: { about: 'also enable the identity, which may have been locked out by wrong passwords' },
    'end-mfa': { about: 'also end its second factor: for a lost authenticator app' },
    storage,
    'secret-key-file': secretKeyFile,
  },
  notes:
    "The password is the environment's NEW_PASSWORD; without it, it is asked for at a terminal, or read as the first line of standard input. Nothing secret is printed. Servers may keep running.",
  run: async (given, environment) => {
    const network = await networkIn(given, environment);
    return withController(network, async (controller) => {
      const user = await userOf(controller, given.get('username'));
      const password = await readPassword({ variable: 'NEW_PASSWORD', environment, whose: user.username });
      if (user.authenticatorId === undefined) {
        const body = { identityId: user.identityId, method: 'updb', username: user.username, password } as const;
        await controller.api.authenticators.create({ body });
      } else await controller.api.authenticators.patch({ id: user.authenticatorId, body: { password } });
      if (given.has('enable')) await controller.api.identities.enable({ id: user.identityId });
      if (given.has('end-mfa')) await controller.api.identities.deleteMfa({ id: user.identityId });
      const { name, disabled, isMfaEnabled } = await controller.api.identities.get({ id: user.identityId });
      return [
        `${user.username} of ${network.name} has the new password, and its API sessions have ended`,
        ...(disabled ? [`note: the identity ${name} is disabled, and cannot log in: see --enable`] : []),
        ...(isMfaEnabled ? ['note: a login still asks for its second factor: see --end-mfa'] : []),
      ].join('\n');
    });
  },
});

interface User {
  readonly identityId: string;
  readonly username: string;
  /** Undefined if the user has no password yet. */
  readonly authenticatorId: string | undefined;
}

const userOf = async (controller: ManagementController, username: string | undefined): Promise<User> => {
  if (username === undefined) return administratorOf(controller);
  const { data } = await controller.api.authenticators.list({ filter: `updbUsername = ${JSON.stringify(username)}` });
  const [found] = data;
  if (!found) throw new StartFailure(`there is no user ${username}`);
  return { identityId: found.identityId, username, authenticatorId: found.id };
};

const administratorOf = async (controller: ManagementController): Promise<User> => {
  const [administrator] = (await controller.api.identities.list({ filter: 'isDefaultAdmin = true' })).data;
  if (!administrator) throw new StartFailure('the network has no first administrator yet: use the command create-admin');
  const { id } = administrator;
  const [own] = (await controller.api.authenticators.list({ filter: `identity = "${id}" and method = "updb"` })).data;
  return { identityId: id, username: own?.username ?? 'admin', authenticatorId: own?.id };
};
