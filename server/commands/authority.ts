import { networkAuthority, rotateAuthority } from '../../src/index.ts';
import { secretKeyFile } from '../secret-key.ts';
import { command, storage } from './command.ts';
import { networkIn } from './controller.ts';

const options = { storage, 'secret-key-file': secretKeyFile } as const;

export const authority = command({
  summary: "list the certificates of the network's authority, and when each ends",
  options,
  notes: 'The first to end stands first. Certificates that renew themselves, and those that were rotated out, are left out.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await networkIn(given, environment);
    const { ends } = await networkAuthority({ storage, secretKey: secretKeys });
    return ends.map(({ role, subject, endsAt }) => `${endsAt.toISOString()}  ${role.padEnd(12)}  ${subject}`).join('\n');
  },
});

export const rotateAuthorityCommand = command({
  summary: "replace the network's authority: a new root, and a new signer below it",
  options,
  notes:
    'Clients and routers learn of the new root with their next certificate; the new signer signs after 15 to 20 minutes, when every running server knows it. What the old one signed stays valid until it ends. Servers keep certificates below the old root for a year, in which clients renew theirs. Nothing needs to be restarted.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await networkIn(given, environment);
    const { signsFrom, trustedUntil } = await rotateAuthority({ storage, secretKey: secretKeys });
    return `began to replace the authority: the new one signs from ${signsFrom.toISOString()} on, and the old one is trusted until ${trustedUntil.toISOString()}`;
  },
});
