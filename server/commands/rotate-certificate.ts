import { join } from 'node:path';
import { networkAuthority } from '../../src/index.ts';
import { rotateServer } from '../pki.ts';
import { dataFolderOf, parseKeptStorage } from '../storage-option.ts';
import { defineCommand, networkOptions } from './command.ts';
import { findNetwork } from './network.ts';

export const rotateCertificate = defineCommand({
  summary: 'replace the certificate that the server on this machine created with --tls auto',
  options: networkOptions,
  notes:
    'The new certificate has the same names, is issued under the same root, and is valid for 365 days. Its key does not change, because it is the network key, which signs enrollment tokens. A running server uses the certificate within ten seconds, or immediately on SIGHUP. Without this command, the server renews it 30 days before it expires.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await findNetwork(given, environment);
    const authority = await networkAuthority({ storage, secretKey: secretKeys });
    const folder = join(dataFolderOf(parseKeptStorage(given.get('storage')), given.get('data-folder')), 'pki');
    const { file, certificate } = await rotateServer(folder, authority);
    const { validTo, subjectAltName } = certificate;
    return `issued a new certificate in ${file}, valid until ${validTo}, for ${subjectAltName}`;
  },
});
