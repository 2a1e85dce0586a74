import { type Advertised, advertisedAddress } from '../../call/advertised-address.ts';
import { implement } from '../../call/implement.ts';
import { trust } from '../../contract/api/trust.ts';
import type { Pki } from '../../crypto/pki/pki.ts';
import type { Random } from '../../runtime/platform/platform.ts';

export const trustEntries = implement(trust, {
  listNetworkJwts: async (call) => [{ name: 'default', token: await call.core.networkJwt() }],
  authorities: async (call) => {
    const { certsOnly } = await call.core.pki.signer();
    call.answerHeaders.set('content-transfer-encoding', 'base64');
    return { contentType: 'application/pkcs7-mime', body: certsOnly };
  },
});

/**
 * Creates the function that returns the network JWT. Unauthenticated clients may request it, so it is signed only once per server key: it
 * does not expire, and its content does not change.
 * @throws ApiError `NOT_CONFIGURED` if the host has set no address
 */
export const createNetworkJwt = (pki: Pki, advertised: Advertised, random: Random): (() => Promise<string>) => {
  let signed: { readonly kid: string; readonly jwt: Promise<string> } | undefined;
  return async () => {
    const key = await pki.networkKey();
    if (signed?.kid !== key.kid) {
      const issuer = `${advertisedAddress(advertised)}/`;
      const claims = { iss: issuer, sub: issuer, aud: ['openziti-enroller'], em: 'network', jti: random.uuid(), ctrls: null };
      signed = { kid: key.kid, jwt: key.sign(claims) };
    }
    return signed.jwt;
  };
};
