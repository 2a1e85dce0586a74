import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createClient } from '../../../client/index.ts';
import { testNetwork } from '../../../testing/index.ts';

test('a device enrolls with a one-time token, and logs in with the certificate that the network issued', async () => {
  await using network = await testNetwork();
  const lift = await network.device('lift 7', 'lifts');
  const session = await lift.login();
  assert.equal((await session.currentIdentity.get()).name, 'lift 7');
  assert.deepEqual((await network.controller.api.identities.get({ id: lift.id })).roleAttributes, ['lifts']);

  const [authenticator] = (await network.controller.api.authenticators.list({ filter: 'method = "cert"' })).data;
  const { cert, chain, key, certificates } = lift.certificate;
  assert.equal(authenticator?.fingerprint, new X509Certificate(cert).fingerprint.replaceAll(':', '').toLowerCase());
  assert.ok(chain.startsWith(cert) && key.startsWith('-----BEGIN PRIVATE KEY-----'));
  assert.deepEqual(new Uint8Array(new X509Certificate(cert).raw), certificates[0]);
  assert.equal((await session.currentApiSession.get()).isCertExtendable, true);
});

test('a device enrolls with the JWT that an application got for it, once', async () => {
  await using network = await testNetwork();
  const { identities } = network.controller.api;
  const { id } = await identities.create({ body: { name: 'door', type: 'Device', isAdmin: false, enrollment: { ott: true } } });
  const jwt = (await identities.get({ id })).enrollment.ott?.jwt ?? '';
  const door = await network.enroll(jwt);
  assert.deepEqual([door.id, door.name], [id, 'door']);
  assert.equal((await door.login()).identityId, id);
  await assert.rejects(network.enroll(jwt), { code: 'INVALID_ENROLLMENT_TOKEN' });
});

test('a JWT of another network, or for another method, is refused with what would be right', async () => {
  await using network = await testNetwork();
  await using other = await testNetwork({ settings: { address: 'https://other.example' } });
  const { identities } = other.controller.api;
  const { id } = await identities.create({ body: { name: 'door', type: 'Device', isAdmin: false, enrollment: { updb: 'door@example' } } });
  const jwt = (await identities.get({ id })).enrollment.updb?.jwt ?? '';
  await assert.rejects(network.enroll(jwt), {
    name: 'TypeError',
    message: 'the JWT is for the network at https://other.example, but this network is at https://127.0.0.1:1280',
  });
  await assert.rejects(other.enroll(jwt), {
    name: 'TypeError',
    message: 'the JWT is for the method updb: controller.api.enrolling.updb({ token, body: { password } })',
  });
});

test('a renewed certificate replaces the old one', async () => {
  await using network = await testNetwork();
  const lift = await network.device('lift 7');
  const old = lift.certificate;
  await network.advance('300d');
  await lift.renew();
  assert.notEqual(lift.certificate.cert, old.cert);
  assert.notEqual(lift.certificate.key, old.key);
  await network.advance('300d');
  assert.equal((await lift.login()).identityId, lift.id);
});

test('a device with a second factor renews, too', async () => {
  await using network = await testNetwork();
  const lift = await network.device('lift 7');
  await (await lift.login()).passCode();
  const { cert } = lift.certificate;
  await lift.renew();
  assert.notEqual(lift.certificate.cert, cert);
  await (await lift.login()).passCode();
});

test('a certificate that has expired logs in no more, and an enrollment ends with its time', async () => {
  await using network = await testNetwork({ settings: { enrollmentMinutes: 10 } });
  const lift = await network.device('lift 7');
  const { identities } = network.controller.api;
  const { id } = await identities.create({ body: { name: 'door', type: 'Device', isAdmin: false, enrollment: { ott: true } } });
  const jwt = (await identities.get({ id })).enrollment.ott?.jwt ?? '';
  await network.advance('11m');
  await assert.rejects(network.enroll(jwt), { code: 'ENROLLMENT_EXPIRED' });
  const { primary } = await network.controller.api.authPolicies.get({ id: 'default' });
  const cert = { ...primary.cert, allowExpiredCerts: false };
  await network.controller.api.authPolicies.patch({ id: 'default', body: { primary: { ...primary, cert } } });
  await lift.login();
  await network.advance('366d');
  await assert.rejects(lift.login(), { code: 'INVALID_AUTH' });
});

test('the typed client works with the certificate of a device, without a socket', async () => {
  await using network = await testNetwork();
  const lift = await network.device('lift 7');
  const { address: baseUrl } = network.controller.settings;
  const client = createClient({ baseUrl, api: 'client', credentials: { certificate: true }, fetch: lift.fetch });
  assert.equal((await client.currentIdentity.get()).name, 'lift 7');
  const anonymous = createClient({ baseUrl, fetch: network.fetch });
  await assert.rejects(anonymous.identities.list(), { code: 'UNAUTHORIZED' });
  assert.match((await anonymous.informational.version()).version, /^v/);
});
