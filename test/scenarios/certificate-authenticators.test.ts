import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aCa, aCertificate, aForeignCertificate, certificateLogin } from '../support/certificates.ts';
import { authority, NOW, party, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const DAY = 86_400_000;
const person = (app: App, name = 'ann') => app.create('/identities', { name, type: 'User', isAdmin: false });
const post = (app: App, identityId: string, certPem: string) =>
  app.request('POST', '/authenticators', { body: { identityId, method: 'cert', certPem } });
const read = async (app: App, id: string) => (await app.request('GET', `/authenticators/${id}`)).body.data;

onEveryStore('certificate authenticators', (open) => {
  test('one of an authority shows its certificate and fingerprint, and nothing that is false', proves(63, 64, 108), async () => {
    await using app = await open();
    const own = await aForeignCertificate(app, await aCa(app));
    const { identity, createdAt, updatedAt, ...fields } = await read(app, own.id);
    assert.deepEqual(fields, {
      _links: { self: { href: `./authenticators/${own.id}` }, identities: { href: `./identities/${own.identityId}` } },
      id: own.id,
      identityId: own.identityId,
      method: 'cert',
      certPem: own.cert,
      fingerprint: own.certificate.fingerprint,
      tags: {},
    });
    const { authenticators } = (await app.request('GET', `/identities/${own.identityId}`)).body.data;
    assert.deepEqual(authenticators, { cert: { id: own.id, fingerprint: own.certificate.fingerprint } });
  });

  test('one of the network says that the network issued it', proves(64), async () => {
    await using app = await open();
    assert.equal((await read(app, (await aCertificate(app)).id)).isIssuedByNetwork, true);
  });

  test('a certificate belongs to one identity, and an identity has one', async () => {
    await using app = await open();
    const own = await aCa(app);
    const mine = await aForeignCertificate(app, own);
    assertInvalid(await post(app, await person(app), mine.cert), 'certPem');
    assertRefused(await post(app, mine.identityId, (await own.issue('other')).cert), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
  });

  test('of two administrators who give one certificate to two identities at once, one succeeds', async () => {
    await using app = await open();
    const { cert } = await (await aCa(app)).issue('device');
    const people = await Promise.all(['ann', 'bob', 'eve'].map((name) => person(app, name)));
    const answers = await Promise.all(people.map((id) => post(app, id, cert)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400]);
  });

  test(
    'its issuer must be verified, and must have been valid when it issued it; its own use and end do not count',
    proves(69),
    async () => {
      await using app = await open();
      const unverified = await aCa(app, {}, { verified: false });
      assertInvalid(await post(app, await person(app), (await unverified.issue('x')).cert), 'certPem');
      const old = await aCa(app, {}, { as: await authority('old', { notBefore: NOW - 10 * DAY, notAfter: NOW + DAY }) });
      assertInvalid(await post(app, await person(app, 'bob'), (await old.issue('x', { notBefore: NOW - 20 * DAY })).cert), 'certPem');
      const expired = { notBefore: NOW - 5 * DAY, notAfter: NOW - DAY, extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] };
      assert.equal((await post(app, await person(app, 'eve'), (await old.issue('x', expired)).cert)).status, 201);
      app.clock.advance('3d');
      const identityId = (await app.controller.api.identities.create({ body: { name: 'tom', type: 'User', isAdmin: false } })).id;
      const certPem = (await old.issue('y')).cert;
      assert.ok((await app.controller.api.authenticators.create({ body: { identityId, method: 'cert', certPem } })).id);
    },
  );

  test('its certificate never changes; it takes neither username nor password, and tags as ever', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const at = `/authenticators/${own.id}`;
    for (const body of [{ username: 'annie' }, { password: PASSWORD }])
      assertRefused(await app.request('PATCH', at, { body }), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR');
    assertRefused(await app.request('PUT', at, { body: { username: 'annie', password: PASSWORD } }), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR');
    const certPem = (await party('other')).cert;
    assert.equal(
      (await app.request('PATCH', at, { body: { tags: { a: 'b' }, certPem, fingerprint: 'x', isIssuedByNetwork: false } })).status,
      200,
    );
    const after = await read(app, own.id);
    assert.deepEqual(
      [after.certPem, after.fingerprint, after.isIssuedByNetwork, after.tags],
      [own.cert, own.certificate.fingerprint, true, { a: 'b' }],
    );
    assertRefused(
      await app.request('PATCH', `/current-identity${at}`, { as: own.as, body: { password: PASSWORD, currentPassword: PASSWORD } }),
      409,
      'CAN_NOT_UPDATE_AUTHENTICATOR',
    );
  });

  test('an identity that is not there gets none', proves(67), async () => {
    await using app = await open();
    const { cert } = await (await aCa(app)).issue('x');
    const left = await app.trail(async () => assertRefused(await post(app, 'no-such-id', cert), 404, 'NOT_FOUND'));
    assert.deepEqual(left, []);
  });

  test('a username that is given with a certificate is not kept', proves(70), async () => {
    await using app = await open();
    const body = { identityId: await person(app), method: 'cert', certPem: (await (await aCa(app)).issue('x')).cert, username: 'annie' };
    const id = await app.create('/authenticators', body);
    assert.equal('username' in (await read(app, id)), false);
  });

  test('deleting it ends its sessions, and the certificate logs nobody in any more', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    await app.request('DELETE', `/authenticators/${own.id}`);
    assertRefused(await app.request('GET', '/current-identity', { as: own.as }), 401, 'UNAUTHORIZED');
    assertRefused(await certificateLogin(app, own, (await sharedPki()).signer), 401, 'INVALID_AUTH');
  });

  test('an identity logs in as long as one of its authenticators is left, and not without any', proves(439), async () => {
    await using app = await open();
    const user = await app.user();
    const { certificate, cert } = await (await aCa(app)).issue('x');
    const id = await app.create('/authenticators', { identityId: user.id, method: 'cert', certPem: cert });
    const logins = async () => [(await app.login(user.username, PASSWORD)).status, (await certificateLogin(app, { certificate })).status];
    assert.deepEqual(await logins(), [200, 200]);
    await app.request('DELETE', `/authenticators/${user.authenticatorId}`);
    assert.deepEqual(await logins(), [401, 200]);
    await app.request('DELETE', `/authenticators/${id}`);
    assert.deepEqual(await logins(), [401, 401]);
  });

  test('an identity sees its own, with its certificate and no links but its own', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const { data } = (await app.request('GET', '/current-identity/authenticators', { as: own.as })).body;
    assert.deepEqual(
      data.map(({ id, certPem, _links }: Record<string, unknown>) => ({ id, certPem, _links })),
      [{ id: own.id, certPem: own.cert, _links: { self: { href: `./current-identity/authenticators/${own.id}` } } }],
    );
  });
});
