/** Who may read signers, and sign for one of them, could ask about every identity by checking tokens: also about those out of sight. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { certificateSigner } from '../support/provider.ts';

onEveryStore('the check of a token by a delegate', (open) => {
  test('tells nothing of identities that the delegate may not see', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const fresh = { exp: app.clock.now() / 1000 + 600, iat: app.clock.now() / 1000 };
    const seen = await app.user({ roleAttributes: ['mine'] });
    const hidden = await app.user({ roleAttributes: ['theirs'] });
    const disabled = await app.user({ isAdmin: true });
    await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
    const limited = { 'identity.read': { roleAttributes: ['mine'] } };
    for (const scopedPermissions of [{}, limited]) {
      const as = await (await app.user({ permissions: ['external-jwt-signer.read'], scopedPermissions })).login();
      const check = async (sub: string) => {
        const body = { token: await signer.token({ ...fresh, sub }) };
        return (await app.request('POST', `${EXTENSIONS}/external-jwt-signers/check-token`, { as, body })).body.data;
      };
      const nobody = await check('nobody');
      assert.deepEqual({ ...(await check(disabled.id)), subject: 'nobody' }, nobody);
      const { isAccepted, identity, signer: by } = await check(hidden.id);
      assert.deepEqual([isAccepted, identity, by.id], [true, undefined, signer.id]);
      assert.equal((await check(seen.id)).identity?.id, scopedPermissions === limited ? seen.id : undefined);
    }
  });
});
