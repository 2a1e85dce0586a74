/**
 * #2559: enrollments went through after their end. Neither the token of an enrollment nor one of a provider enrolls once it has expired.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { post, sendCsr, setPassword, toEnroll } from '../support/enrolling.ts';
import { csr } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, request } from '../support/token-enrollment.ts';

onEveryStore('an enrollment after its end', (open) => {
  test('creates no authenticator and no identity, by any method', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const [byOtt, byJson, byPassword] = [await toEnroll(app), await toEnroll(app), await toEnroll(app, { updb: 'late-user' })];
    const router = await app.create('/edge-routers', { name: 'late-router' });
    const { enrollmentToken } = (await app.request('GET', `/edge-routers/${router}`)).body.data;
    const token = await signer.token({ sub: 'late' });
    const clientCsr = (await csr('CN=late')).csr;
    const counts = async () => [await app.count('identity'), await app.count('authenticator')];
    const before = await counts();
    app.clock.advance('4h');
    const expired = [
      await sendCsr(app, byOtt.enrollment.token, clientCsr),
      await post(app, '/enroll/ott', { body: { token: byJson.enrollment.token, clientCsr } }),
      await setPassword(app, byPassword.enrollment.token),
      await post(app, `/enroll?method=erott&token=${enrollmentToken}`, { body: { certCsr: clientCsr, serverCertCsr: clientCsr } }),
    ];
    for (const answer of expired) assertRefused(answer, 400, 'ENROLLMENT_EXPIRED');
    for (const issuerId of [undefined, signer.id])
      for (const csrOfClient of ['', await request()]) {
        const answer = await enrollBy(app, token, { clientCsr: csrOfClient, ...(issuerId === undefined ? {} : { issuerId }) });
        assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
      }
    assert.deepEqual(await counts(), before);
    const [row] = await app.rows('router');
    assert.deepEqual([row?.id, row?.isVerified], [router, false]);
  });
});
