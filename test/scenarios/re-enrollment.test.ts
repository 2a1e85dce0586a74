import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { enrolled, LATER, readEnrollment, sendCsr, setPassword } from '../support/enrolling.ts';
import { csr } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const NOW = '2026-11-21T10:00:00.000Z';

onEveryStore('authenticators that are turned back into enrollments', (open) => {
  test(
    'a password authenticator is turned back into an enrollment of its username, and its sessions end',
    proves(79, 278, 279, 282, 369),
    async () => {
      await using app = await open();
      const user = await app.user();
      const as = await user.login();
      const again = (body: object, id = user.authenticatorId) => app.request('POST', `/authenticators/${id}/re-enroll`, { body });
      assertInvalid(await again({}), 'expiresAt');
      assertInvalid(await again({ expiresAt: NOW }), 'expiresAt');
      assertRefused(await again({ expiresAt: 'tomorrow' }), 400, 'COULD_NOT_PARSE_BODY');
      const { status, body } = await again({ expiresAt: LATER });
      assert.deepEqual([status, body.data._links.self.href], [201, `./enrollments/${body.data.id}`]);
      const { method, username, token, identityId, expiresAt } = await readEnrollment(app, body.data.id);
      assert.deepEqual([method, username, identityId, expiresAt], ['updb', user.username, user.id, LATER]);
      assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
      assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
      assertRefused(await again({ expiresAt: LATER }), 404, 'NOT_FOUND');
      assert.equal((await setPassword(app, token, 'another password')).status, 200);
      assert.equal((await app.login(user.username, 'another password')).status, 200);
    },
  );

  test('a certificate authenticator is turned back into an ott enrollment', proves(278, 280, 282), async () => {
    await using app = await open();
    const device = await enrolled(app);
    const { body } = await app.request('POST', `/authenticators/${device.authenticatorId}/re-enroll`, { body: { expiresAt: LATER } });
    const { method, username, caId, token } = await readEnrollment(app, body.data.id);
    assert.deepEqual([method, username, caId], ['ott', undefined, undefined]);
    assert.deepEqual((await app.request('GET', `/identities/${device.identityId}`)).body.data.authenticators, {});
    assert.equal((await sendCsr(app, token, (await csr('CN=a device')).csr)).status, 200);
    assert.ok((await app.request('GET', `/identities/${device.identityId}`)).body.data.authenticators.cert);
  });

  test('where an enrollment of the method is outstanding nothing is turned back', async () => {
    await using app = await open();
    const user = await app.user();
    await app.create('/enrollments', { identityId: user.id, method: 'updb', username: 'another', expiresAt: LATER });
    const left = await app.trail(async () =>
      assertRefused(
        await app.request('POST', `/authenticators/${user.authenticatorId}/re-enroll`, { body: { expiresAt: LATER } }),
        409,
        'ENROLLMENT_EXISTS',
      ),
    );
    assert.deepEqual(left, []);
  });

  test('the last authenticator of the default administrator is not turned back', async () => {
    await using app = await open();
    const { data } = (await app.request('GET', '/authenticators')).body;
    const left = await app.trail(async () =>
      assertRefused(
        await app.request('POST', `/authenticators/${data[0].id}/re-enroll`, { body: { expiresAt: LATER } }),
        400,
        'ENTITY_CAN_NOT_BE_DELETED',
      ),
    );
    assert.deepEqual(left, []);
  });
});
