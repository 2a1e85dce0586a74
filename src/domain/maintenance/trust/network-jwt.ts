import type { Settings } from '../../../call/settings.ts';
import type { Pki } from '../../../pki/pki.ts';
import type { Random } from '../../../platform/platform.ts';

/**
 * The JWT that says where the network is. Anybody may ask for it, so it is signed once for each key of the server: it has no end, and says the same each time.
 */
export const createNetworkJwt = (pki: Pki, { address }: Pick<Settings, 'address'>, random: Random): (() => Promise<string>) => {
  let signed: { readonly kid: string; readonly jwt: Promise<string> } | undefined;
  return async () => {
    const key = await pki.networkKey();
    if (signed?.kid !== key.kid) {
      const place = `${address}/`;
      const claims = { iss: place, sub: place, aud: ['openziti-enroller'], em: 'network', jti: random.uuid(), ctrls: null };
      signed = { kid: key.kid, jwt: key.sign(claims) };
    }
    return signed.jwt;
  };
};
