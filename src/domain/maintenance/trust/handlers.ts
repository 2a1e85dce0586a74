import { trust } from '../../../api/trust.ts';
import { implement } from '../../../call/implement.ts';

export const trustEntries = implement(trust, {
  listNetworkJwts: async (call) => [{ name: 'default', token: await call.core.networkJwt() }],
  authorities: async (call) => {
    const { certsOnly } = await call.core.pki.signer();
    call.answerHeaders.set('content-transfer-encoding', 'base64');
    return { contentType: 'application/pkcs7-mime', body: certsOnly };
  },
});
