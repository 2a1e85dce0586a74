import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CONTROLLER_ID } from '../../src/wire/known-controller.ts';
import { StartFailure } from '../failure.ts';
import { readText } from '../files.ts';

/**
 * The file that a former configuration names. It is relative to the folder in which the former controller was started, which need not be that of the
 * configuration.
 */
export const fileNamed = (name: string, config: string): string => {
  const beside = resolve(dirname(config), name);
  return existsSync(beside) ? beside : resolve(name);
};

/** The file in which a text is that a former configuration names: the configuration itself for one with `pem:`. */
export const placeNamed = (value: string, config: string): string => {
  const [, scheme, rest = ''] = SCHEME.exec(value.trim()) ?? [];
  return scheme === 'pem' ? config : fileNamed(scheme === 'file' ? rest : value.trim(), config);
};

const SCHEME = /^(pem|file|engine|pkcs11|hsm):(?:\/\/)?(.*)$/s;

/**
 * The text that a former configuration names: a path, `file:` with a path, or `pem:` with the text itself.
 * @throws StartFailure if the file cannot be read, or if the value is a key in hardware
 */
export const textNamed = (value: string, config: string): string => {
  const [, scheme, rest = ''] = SCHEME.exec(value.trim()) ?? [];
  if (scheme === 'pem') return rest.trim();
  if (scheme !== undefined && scheme !== 'file')
    throw new StartFailure(
      `${config} names a key in hardware (${scheme}:), which cannot be read: the network can only be adopted with its key in a file`,
    );
  // Its text must not appear in an error.
  if (value.includes('-----BEGIN')) throw new StartFailure(`${config} holds a certificate or a key without 'pem:' before it`);
  return readText(placeNamed(value, config));
};

/** Which of the files others than their owner may read or write, with their modes: a sentence for each. Windows has no such modes. */
export const exposedFiles = async (files: readonly string[]): Promise<readonly string[]> => {
  if (process.platform === 'win32') return [];
  const modeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.mode ?? 0;
  const modes = await Promise.all([...new Set(files)].map(async (file) => [file, (await modeOf(file)) & 0o777] as const));
  return modes.flatMap(([file, mode]) =>
    mode & 0o077 ? [`${file} holds a private key, and others than its owner may use it: its mode is 0${mode.toString(8)}`] : [],
  );
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The common name of the first certificate, if a controller can have it as its id. */
export const commonNameIn = (pem: string): string | undefined => {
  try {
    // Several common names are listed; the last one counts.
    const name = [new X509Certificate(pem).toLegacyObject().subject.CN].flat().at(-1);
    return name !== undefined && CONTROLLER_ID.test(name) ? name : undefined;
  } catch {
    return undefined; // whoever uses the certificate reports it
  }
};

/** The trust domain in the SPIFFE ids of certificates, the first that one has. */
export const trustDomainIn = (pem: string): string | undefined => {
  for (const [text] of pem.matchAll(CERTIFICATE)) {
    const [, domain] = /URI:spiffe:\/\/([^/,\s]+)/.exec(namesOfCertificate(text)) ?? [];
    if (domain !== undefined) return domain;
  }
  return undefined;
};

const namesOfCertificate = (pem: string): string => {
  try {
    return new X509Certificate(pem).subjectAltName ?? '';
  } catch {
    return ''; // whoever uses the certificate reports it
  }
};
