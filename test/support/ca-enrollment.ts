import type { TestCa } from './certificates.ts';
import { authority, NOW, type Party, party } from './pki.ts';

const DAY = 86_400_000;

/** What an authority answers to with whom, and why: certificates that it does not stand for. */
export const strangers = async (own: TestCa): Promise<readonly (readonly [string, readonly Party[]])[]> => {
  const impostor = await authority(own.name);
  const below = await authority('below', { by: own });
  const client = await own.issue('client');
  return [
    ['nothing', []],
    ['one that signed itself', [await party('ann')]],
    ["an impostor's", [await party('ann', { by: impostor }), impostor]],
    ['a stranger with a good one behind', [await party('ann'), client, own]],
    ['one of an authority below that is not sent', [await party('ann', { by: below })]],
    ["a client's", [await party('ann', { by: client }), client]],
    ['expired', [await own.issue('ann', { notAfter: NOW - 1000 })]],
    ['of tomorrow', [await own.issue('ann', { notBefore: NOW + DAY })]],
    ['for servers', [await own.issue('ann', { extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] })]],
  ];
};
