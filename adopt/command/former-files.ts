import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartFailure } from '../../server/failure.ts';
import { readText } from '../../server/files.ts';

/**
 * The file that a former configuration names. It is relative to the folder in which the former controller was started, which need not be
 * that of the configuration.
 */
export const fileNamed = (name: string, config: string): string => {
  const beside = resolve(dirname(config), name);
  return existsSync(beside) ? beside : resolve(name);
};

/** `pem:` with a text, `file:` with a path, or the scheme of a key in hardware. A path needs no scheme. */
const SCHEME = /^(pem|file|engine|pkcs11|hsm):(?:\/\/)?(.*)$/s;

const referenceIn = (value: string) => {
  const [, scheme, rest = ''] = SCHEME.exec(value.trim()) ?? [];
  return { scheme, rest };
};

/** The file that holds the text which a value of a former configuration names: the configuration itself if the value begins with `pem:`. */
export const placeNamed = (value: string, config: string): string => {
  const { scheme, rest } = referenceIn(value);
  return scheme === 'pem' ? config : fileNamed(scheme === 'file' ? rest : value.trim(), config);
};

/**
 * The text that a former configuration names: a path, `file:` with a path, or `pem:` with the text itself.
 * @throws StartFailure if the file cannot be read, or if the value is a key in hardware
 */
export const textNamed = (value: string, config: string): string => {
  const { scheme, rest } = referenceIn(value);
  if (scheme === 'pem') return rest.trim();
  if (scheme !== undefined && scheme !== 'file')
    throw new StartFailure(
      `${config} names a key in hardware (${scheme}:), which cannot be read: the network can only be adopted with its key in a file`,
    );
  // Its text must not appear in an error.
  if (value.includes('-----BEGIN')) throw new StartFailure(`${config} contains a certificate or a key without the prefix 'pem:'`);
  return readText(placeNamed(value, config));
};
