import { newSecretKey } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { writeOnce } from '../files.ts';
import { keyIn, secretKeyFile } from '../secret-key.ts';
import { command, storage } from './command.ts';
import { type Network, networkIn, withController } from './controller.ts';

export const reseal = command({
  summary: 'replace the secret key of a network permanently',
  options: {
    'new-secret-key-file': {
      value: 'FILE',
      about:
        "file with the new key, which is made if there is none (default: the environment's NEW_SECRET_KEY; without either, the first of the present keys, where several are given)",
    },
    'secret-key-file': { ...secretKeyFile, about: `the present one: ${secretKeyFile.about}` },
    storage,
  },
  notes:
    'Every secret in the database is sealed again under the new key. Servers may keep running if each has both keys; one without the new key cannot read what is sealed under it. If the command is interrupted, run it again: until it has finished, the network opens only with both keys. Keep the former key for as long as you keep snapshots taken before.',
  run: async (given, environment) => {
    const network = await networkIn(given, environment);
    const file = given.get('new-secret-key-file');
    const secretKey = file === undefined ? environment.NEW_SECRET_KEY || firstOf(network) : await keyOf(file);
    const { entities } = await withController({ ...network, secretKeys: [secretKey, ...network.secretKeys] }, (controller) =>
      controller.reseal(),
    );
    const count = Object.values(entities).reduce((sum, resealed) => sum + resealed, 0);
    const next =
      file === undefined
        ? 'the new key alone'
        : `the key in ${file} alone${network.keyFile === undefined ? '' : `: move it to ${network.keyFile}`}`;
    return `resealed the secrets of ${count} entities of ${network.name}; from now on the network opens with ${next}`;
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
