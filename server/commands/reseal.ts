import { newSecretKey } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { writeOnce } from '../files.ts';
import { keyIn, secretKeyFile } from '../secret-key.ts';
import { defineCommand, networkOptions } from './command.ts';
import { findNetwork, type Network, withController } from './network.ts';

export const reseal = defineCommand({
  summary: 'replace the secret key of a network permanently',
  options: {
    'new-secret-key-file': {
      value: 'FILE',
      about:
        'file with the new key, created if it is missing (default: the variable NEW_SECRET_KEY; without either, the first of the current keys, if several are given)',
    },
    ...networkOptions,
    'secret-key-file': { ...secretKeyFile, about: `the current key: ${secretKeyFile.about}` },
  },
  notes:
    'Every secret in the database is encrypted again with the new key. Servers may keep running if each has both keys; a server without the new key cannot read secrets that are encrypted with it. If the command is interrupted, run it again: until it has finished, the network opens only with both keys. Keep the former key as long as you keep snapshots from before the change.',
  run: async (given, environment) => {
    const network = await findNetwork(given, environment);
    const file = given.get('new-secret-key-file');
    const secretKey = file === undefined ? environment.NEW_SECRET_KEY || firstOf(network) : await keyOf(file);
    const { entities } = await withController({ ...network, secretKeys: [secretKey, ...network.secretKeys] }, (controller) =>
      controller.reseal(),
    );
    const count = Object.values(entities).reduce((sum, resealed) => sum + resealed, 0);
    const advice = file === undefined || network.keyFile === undefined ? '' : `: move it to ${network.keyFile}`;
    const newKey = file === undefined ? 'the new key' : `the key in ${file}`;
    return `resealed the secrets of ${count} entities of ${network.name}; from now on the network opens with ${newKey} alone${advice}`;
  },
});

const firstOf = ({ secretKeys: [first, ...others] }: Network): string => {
  if (first === undefined || others.length === 0)
    throw new StartFailure('reseal needs a new key: give --new-secret-key-file FILE, or NEW_SECRET_KEY; see --help');
  return first;
};

/** Creates the key only once, so that a repeated run after an interruption uses the same one. */
const keyOf = async (file: string): Promise<string> => {
  await writeOnce(file, `${newSecretKey()}\n`, 0o600);
  return keyIn(file);
};
