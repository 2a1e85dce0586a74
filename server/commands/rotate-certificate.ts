import { join } from 'node:path';
import { networkAuthority } from '../../src/index.ts';
import { rotateServer } from '../pki.ts';
import { secretKeyFile } from '../secret-key.ts';
import { dataFolderOf, keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';
import { networkIn } from './controller.ts';

export const rotateCertificate = command({
  summary: "replace the certificate of this machine's server, which it made with --tls auto",
  options: { storage, 'secret-key-file': secretKeyFile },
  notes:
    'The new certificate is for the same names, below the same root, and valid for 365 days. Its key stays: it is the key of the network, which signs enrollment tokens. A running server takes the certificate within ten seconds, or at once on SIGHUP. Without this command, the server renews it 30 days before it ends.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await networkIn(given, environment);
    const authority = await networkAuthority({ storage, secretKey: secretKeys });
    const folder = join(dataFolderOf(keptStorageOf(given.get('storage'))), 'pki');
    const { file, certificate } = await rotateServer(folder, authority);
    const { validTo, subjectAltName } = certificate;
    return `issued another certificate in ${file}, valid until ${validTo}, for ${subjectAltName}`;
  },
});
