import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial } from './trial.ts';

type Openssl = Pick<Trial, 'folder' | 'processes'>;

/** Makes a certificate authority of another party: NAME.pem and NAME.key. @returns the certificate */
export const makeAuthority = async ({ folder, processes }: Openssl, name: string): Promise<string> => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  await processes.run('openssl', 'req', '-x509', ...key, '-out', `${name}.pem`, '-subj', `/CN=${name}`, '-days', '30');
  return readFileSync(join(folder, `${name}.pem`), 'utf8');
};

/** Makes a certificate below an authority: NAME.pem and NAME.key. @returns the certificate */
export const issue = async ({ folder, processes }: Openssl, authority: string, name: string, commonName = name): Promise<string> => {
  await request({ folder, processes }, name, commonName);
  const below = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial', '-days', '10'];
  await processes.run('openssl', 'x509', '-req', '-in', `${name}.csr`, ...below, '-out', `${name}.pem`);
  return readFileSync(join(folder, `${name}.pem`), 'utf8');
};

/** Makes a certificate request: NAME.csr, with a new key in NAME.key, or with a given one. @returns the request */
export const request = async ({ folder, processes }: Openssl, name: string, commonName = name, key?: string): Promise<string> => {
  if (key) writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  await processes.run(
    'openssl',
    'req',
    '-new',
    ...(key ? ['-key', `${name}.key`] : made),
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${commonName}`,
  );
  return readFileSync(join(folder, `${name}.csr`), 'utf8');
};

/** Verifies a chain against the root below which the former network signed. @throws Error if it does not lead there */
export const verify = async ({ folder, processes }: Openssl, chain: string, root = 'signing-root.pem'): Promise<void> => {
  writeFileSync(join(folder, 'chain.pem'), chain);
  await processes.run('openssl', 'verify', '-CAfile', root, '-untrusted', 'chain.pem', '-purpose', 'any', 'chain.pem');
};
