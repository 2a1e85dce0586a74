import type { ManagementController } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { readPassword } from '../password.ts';
import { defineCommand, networkOptions } from './command.ts';
import { findNetwork, withController } from './network.ts';

export const resetPassword = defineCommand({
  summary: 'set a new password for an administrator or another user, and end their API sessions',
  options: {
    username: { value: 'NAME', about: 'username (default: the one of the first administrator)' },
    enable: { about: 'also enable the identity, e.g. if it was disabled after wrong passwords' },
    'end-mfa': { about: 'also remove its second factor, e.g. if the authenticator app was lost' },
    ...networkOptions,
  },
  notes:
    'The password is read from the variable NEW_PASSWORD, or the file in NEW_PASSWORD_FILE; without it, from a prompt on a terminal, or from the first line of standard input. No secrets are printed. Servers may keep running.',
  run: async (given, environment) => {
    const network = await findNetwork(given, environment);
    return withController(network, async (controller) => {
      const user = await userOf(controller, given.get('username'));
      const password = await readPassword({ variable: 'NEW_PASSWORD', environment, username: user.username });
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
        ...(isMfaEnabled ? ['note: a login still requires its second factor: see --end-mfa'] : []),
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
