import { join } from 'node:path';
import { newSecretKey } from '../../src/index.ts';
import { keepPrivate, readIfThere, writeWhole } from './files.ts';
import type { ServerOptions } from './options.ts';

/**
 * The key that secrets in the database are sealed under: the one given, or else one that is made once and kept in a file, which must not be lost and
 * should not lie where backups of the database lie. A store in memory brings its own.
 * @throws StartFailure when the file cannot be read or written
 */
export const keepSecretKey = async (
  storage: ServerOptions['storage'],
  given: string | undefined,
  folder: string,
): Promise<string | undefined> => {
  if (given !== undefined || storage.is === 'memory') return given;
  await keepPrivate(folder);
  const file = join(folder, 'secret.key');
  const known = (await readIfThere(file))?.trim();
  if (known) return known;
  const key = newSecretKey();
  await writeWhole(file, `${key}\n`, 0o600);
  return key;
};
