import type { Settings } from '../../../call/settings.ts';
import type { Pki } from '../../../pki/pki.ts';
import type { Random } from '../../../platform/platform.ts';

/**
 * The JWT that says where the network is. Unauthenticated clients may request it, so it is signed once per server key: it does not expire, and its
 * content does not change.
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
