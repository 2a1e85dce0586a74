import { networkAuthority, rotateAuthority } from '../../src/index.ts';
import { defineCommand, networkOptions } from './command.ts';
import { findNetwork } from './network.ts';

export const authority = defineCommand({
  summary: "list the certificates of the network's authority with their expiry dates",
  options: networkOptions,
  notes: 'The certificate that expires first is at the top. Certificates that are renewed automatically or were rotated out are omitted.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await findNetwork(given, environment);
    const { ends } = await networkAuthority({ storage, secretKey: secretKeys });
    return ends.map(({ role, subject, endsAt }) => `${endsAt.toISOString()}  ${role.padEnd(12)}  ${subject}`).join('\n');
  },
});

export const rotateAuthorityCommand = defineCommand({
  summary: "replace the network's authority: a new root, and a new signer below it",
  options: networkOptions,
  notes:
    'Clients and routers receive the new root with their next certificate. The new signer starts to sign after 15 to 20 minutes, when every running server has loaded it; certificates of the old signer remain valid until they expire. For a year, servers present certificates below the old root, so that clients have time to renew theirs. No restart is needed.',
  run: async (given, environment) => {
    const { storage, secretKeys } = await findNetwork(given, environment);
    const { signsFrom, trustedUntil } = await rotateAuthority({ storage, secretKey: secretKeys });
    return `started to replace the authority: the new one signs from ${signsFrom.toISOString()}, and the old one is trusted until ${trustedUntil.toISOString()}`;
  },
});
