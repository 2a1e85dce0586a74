import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { testNetwork } from '../../../testing/index.ts';

test('a CA of a test is verified, and a device with its certificate logs in', async () => {
  await using network = await testNetwork();
  const acme = await network.ca('acme');
  assert.equal((await network.controller.api.cas.get({ id: acme.id })).isVerified, true);
  const scanner = await acme.device('scanner', 'scanners');
  assert.equal((await (await scanner.login()).currentIdentity.get()).name, 'scanner');
  await network.controller.api.cas.patch({ id: acme.id, body: { isAuthEnabled: false } });
  await assert.rejects(scanner.login(), { code: 'INVALID_AUTH' });
});

test('a CA of a test issues a certificate that an application can add as an authenticator', async () => {
  await using network = await testNetwork();
  const acme = await network.ca('acme');
  const { cert, certificates } = await acme.issue('printer');
  const { id: identityId } = await network.controller.api.identities.create({ body: { name: 'printer', type: 'Device', isAdmin: false } });
  const added = await network.controller.api.authenticators.create({ body: { identityId, method: 'cert', certPem: cert } });
  const { data } = await network.controller.api.authenticators.list({ filter: `identity = "${identityId}"` });
  assert.deepEqual(
    data.map((each) => [each.id, each.method, 'certPem' in each ? each.certPem : undefined]),
    [[added.id, 'cert', cert]],
  );
  assert.equal(new X509Certificate(cert).subject, 'CN=printer');
  assert.equal(certificates.length, 1);
});

test('a CA of a test issues certificates below an intermediate authority, and devices enroll with them', async () => {
  await using network = await testNetwork();
  const acme = await network.ca('acme', { identityRoles: ['cameras'] });
  const certificate = await acme.issue('camera-1', { intermediates: 1 });
  const [leaf, above] = certificate.certificates.map((der) => new X509Certificate(der));
  assert.ok(leaf && above);
  assert.ok(leaf.checkIssued(above) && above.checkIssued(new X509Certificate(acme.cert)));

  const { body: jwt } = await network.controller.api.cas.getJwt({ id: acme.id });
  const camera = await network.enroll(String(jwt), certificate);
  assert.equal(camera.name, 'acme-camera-1');
  assert.deepEqual((await network.controller.api.identities.get({ id: camera.id })).roleAttributes, ['cameras']);
  assert.equal((await camera.login()).identityId, camera.id);
  const sessions = await network.controller.api.apiSessions.list();
  assert.equal(sessions.data.length, 1, 'only that of the login');
});

test('a certificate has the requested names and validity', async () => {
  await using network = await testNetwork();
  const acme = await network.ca('acme');
  const { cert } = await acme.issue('ann', { days: 7, uris: ['spiffe://acme/ann'], emails: ['ann@acme.test'] });
  const { subjectAltName, validTo } = new X509Certificate(cert);
  assert.equal(subjectAltName, 'email:ann@acme.test, URI:spiffe://acme/ann');
  assert.equal(Date.parse(validTo), network.clock.now() + 7 * 86_400_000);
});

test('enrolling with the JWT of a CA without a certificate throws an error that names the right call', async () => {
  await using network = await testNetwork();
  const acme = await network.ca('acme');
  const { body: jwt } = await network.controller.api.cas.getJwt({ id: acme.id });
  await assert.rejects(network.enroll(String(jwt)), {
    name: 'TypeError',
    message: 'the JWT is for the method ca: network.enroll(jwt, certificate)',
  });
});
