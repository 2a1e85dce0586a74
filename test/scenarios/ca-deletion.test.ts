import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { aCa, aForeignCertificate, COMMON_NAME, certificateLogin } from '../support/certificates.ts';
import { assertRefused } from '../support/refusals.ts';

onEveryStore('deletion of certificate authorities', (open) => {
  test(
    'deleting a CA deletes the authenticators of its certificates and ends their sessions, and no others',
    proves(320, 342, 440),
    async () => {
      await using app = await open();
      const [own, other] = [await aCa(app), await aCa(app)];
      const [mine, theirs] = [await aForeignCertificate(app, own), await aForeignCertificate(app, other)];
      const tokenOf = async (who: typeof mine) => (await certificateLogin(app, who)).body.data.token;
      const [ended, kept] = [await tokenOf(mine), await tokenOf(theirs)];
      const left = await app.trail(() => app.request('DELETE', `/cas/${own.id}`));
      assert.deepEqual(left.toSorted(), ['delete apiSession', 'delete authenticator', 'delete ca']);
      assertRefused(await app.request('GET', `/authenticators/${mine.id}`), 404, 'NOT_FOUND');
      assertRefused(await app.request('GET', '/current-identity', { as: ended }), 401, 'UNAUTHORIZED');
      assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
      assert.equal((await app.request('GET', '/current-identity', { as: kept })).status, 200);
      assert.equal((await app.request('GET', `/identities/${mine.identityId}`)).status, 200);
      assertRefused(await app.request('GET', `/cas/${own.id}`), 404, 'NOT_FOUND');
    },
  );

  test('deleting a CA ends the sessions of those who proved an external id by it', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const { token } = (await certificateLogin(app, await own.issue('ann'))).body.data;
    assert.equal((await app.request('GET', '/current-identity', { as: token })).status, 200);
    await app.request('DELETE', `/cas/${own.id}`);
    assertRefused(await app.request('GET', '/current-identity', { as: token }), 401, 'UNAUTHORIZED');
  });
});
