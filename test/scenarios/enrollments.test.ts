import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, jwtVerify } from 'jose';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { enrolled, LATER, sendCsr, setPassword, toEnroll } from '../support/enrolling.ts';
import { csr, SHARED_PKI } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const NOW = '2026-11-21T10:00:00.000Z';
const post = (app: App, body: object) => app.request('POST', '/enrollments', { body });
const person = (app: App, name = 'ann') => app.create('/identities', { name, type: 'User', isAdmin: false });
const read = async (app: App, id: string) => (await app.request('GET', `/enrollments/${id}`)).body.data;
const ofIdentity = async (app: App, id: string) => (await app.request('GET', `/identities/${id}`)).body.data.enrollment;

onEveryStore('enrollments', (open) => {
  test('an enrollment shows whose it is, its method and end, its token and its JWT', proves(135, 136, 137, 138, 139, 330), async () => {
    await using app = await open();
    const identityId = await person(app);
    const id = await app.create('/enrollments', { identityId, method: 'ott', expiresAt: '2026-11-21T14:30:00+01:00', username: 'nobody' });
    const { token, jwt, identity, createdAt, updatedAt, ...fields } = await read(app, id);
    assert.match(token, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    assert.match(jwt, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.match(createdAt, /^2026-11-21T10:00:00/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(fields, {
      _links: { self: { href: `./enrollments/${id}` } },
      id,
      identityId,
      method: 'ott',
      expiresAt: LATER,
      ca: null,
      username: null,
      tags: {},
    });
    assert.deepEqual(
      [identity.entity, identity.urlName, identity.id, identity.name, identity._links.self.href],
      ['identities', 'identities', identityId, 'ann', `./identities/${identityId}`],
    );
  });

  test('the JWT says where, for whom, by which method and until when, and the server certificate verifies it', async () => {
    await using app = await open({ settings: { address: 'https://controller.example.com:1280' } });
    const { identityId, enrollment } = await toEnroll(app);
    const { cert = '' } = (await SHARED_PKI.serverCertificate?.()) ?? {};
    const certificate = new X509Certificate(cert);
    const { payload, protectedHeader } = await jwtVerify(enrollment.jwt, certificate.publicKey, { currentDate: new Date(NOW) });
    assert.deepEqual(protectedHeader, { alg: 'ES256', kid: certificate.fingerprint.replaceAll(':', '').toLowerCase(), typ: 'JWT' });
    assert.deepEqual(payload, {
      iss: 'https://controller.example.com:1280',
      sub: identityId,
      aud: [''],
      exp: Date.parse(enrollment.expiresAt) / 1000,
      jti: enrollment.token,
      em: 'ott',
      ctrls: ['tls:controller.example.com:1280'],
    });
  });

  test('the JWT says the port of the controller where its address leaves the usual one out', async () => {
    const usual = { 'https://controller.example.com': 'controller.example.com:443', 'http://[fd00::1]': '[fd00::1]:80' };
    for (const [address, place] of Object.entries(usual)) {
      await using app = await open({ settings: { address } });
      const { enrollment } = await toEnroll(app);
      assert.deepEqual(decodeJwt(enrollment.jwt).ctrls, [`tls:${place}`]);
    }
  });

  test('an updb enrollment shows its username', proves(139, 144), async () => {
    await using app = await open();
    const id = await app.create('/enrollments', { identityId: await person(app), method: 'updb', username: 'annie', expiresAt: LATER });
    const { method, username } = await read(app, id);
    assert.deepEqual([method, username], ['updb', 'annie']);
  });

  test('an enrollment for a certificate of an authority shows the authority, and goes with it', proves(136, 140), async () => {
    await using app = await open();
    const [identityId, ca] = [await person(app), await aCa(app)];
    const id = await app.create('/enrollments', { identityId, method: 'ottca', caId: ca.id, expiresAt: LATER, username: 'annie' });
    const { method, caId, ca: shown, username } = await read(app, id);
    assert.deepEqual([method, caId, username], ['ottca', ca.id, null]);
    assert.deepEqual([shown.entity, shown.id, shown.name], ['cas', ca.id, ca.name]);
    const { ottca } = await ofIdentity(app, identityId);
    assert.deepEqual([ottca.id, ottca.caId, ottca.ca], [id, ca.id, shown]);
    const other = await app.create('/enrollments', { identityId, method: 'ott', caId: ca.id, expiresAt: LATER });
    assert.equal((await read(app, other)).ca, null);
    await app.request('DELETE', `/cas/${ca.id}`);
    assert.deepEqual(Object.keys(await ofIdentity(app, identityId)), ['ott']);
  });

  test(
    'an identity is created with an enrollment by the first of ott and updb that is asked for, for three hours',
    proves(114, 116, 117, 402, 470),
    async () => {
      await using app = await open();
      const { identityId, enrollment } = await toEnroll(app, { ott: true, updb: 'annie' });
      assert.equal(enrollment.expiresAt, '2026-11-21T13:00:00.000Z');
      const { id, token, jwt, expiresAt } = await read(app, enrollment.id);
      assert.deepEqual(await ofIdentity(app, identityId), { ott: { id, token, jwt, expiresAt } });
      const { enrollment: updb } = await toEnroll(app, { updb: 'annie' });
      assert.equal((await read(app, updb.id)).username, 'annie');
      const { data } = (await app.request('GET', `/identities/${identityId}/enrollments`)).body;
      assert.deepEqual(data, [await read(app, enrollment.id)]);
      for (const none of [{}, { ott: false }, null]) {
        const without = await app.create('/identities', {
          name: `none ${JSON.stringify(none)}`,
          type: 'User',
          isAdmin: false,
          enrollment: none,
        });
        assert.deepEqual(await ofIdentity(app, without), {});
      }
    },
  );

  test('how long the enrollment of a new identity lasts can be set', proves(470), async () => {
    await using app = await open({ settings: { enrollmentMinutes: 5 } });
    assert.equal((await toEnroll(app)).enrollment.expiresAt, '2026-11-21T10:05:00.000Z');
    await assert.rejects(open({ settings: { enrollmentMinutes: 4 } }), TypeError);
  });

  test('an enrollment in a replace or a patch of an identity has no effect', async () => {
    await using app = await open();
    const id = await person(app);
    const body = { name: 'ann', type: 'User', isAdmin: false, enrollment: { ott: true } };
    await app.request('PUT', `/identities/${id}`, { body });
    await app.request('PATCH', `/identities/${id}`, { body });
    assert.deepEqual(await ofIdentity(app, id), {});
  });

  test('creation needs an identity, a method and an end, of the right kind', proves(138, 141, 142, 143, 338), async () => {
    await using app = await open();
    const good = { identityId: await person(app), method: 'ott', expiresAt: LATER };
    const left = await app.trail(async () => {
      for (const field of ['identityId', 'method', 'expiresAt']) assertInvalid(await post(app, { ...good, [field]: undefined }), field);
      for (const method of ['erott', 'ca', 'OTT', '']) assertInvalid(await post(app, { ...good, method }), 'method');
      for (const expiresAt of ['soon', '2026-11-22', '2026-13-01T00:00:00Z', 17])
        assertRefused(await post(app, { ...good, expiresAt }), 400, 'COULD_NOT_PARSE_BODY');
    });
    assert.deepEqual(left, []);
  });

  test(
    'creation refuses what it cannot resolve: identity, authority, username, an end in the past',
    proves(140, 141, 142, 144, 338),
    async () => {
      await using app = await open();
      const good = { identityId: await person(app), method: 'ott', expiresAt: LATER };
      const refused = [
        [{ identityId: 'no-such-id' }, 'identityId'],
        [{ method: 'ottca' }, 'caId'],
        [{ method: 'ottca', caId: 'no-such-ca' }, 'caId'],
        [{ method: 'updb' }, 'username'],
        [{ expiresAt: NOW }, 'expiresAt'],
        [{ expiresAt: '1999-01-01T00:00:00Z' }, 'expiresAt'],
      ] as const;
      const left = await app.trail(async () => {
        for (const [fields, field] of refused) {
          const { status, body } = await post(app, { ...good, ...fields });
          assert.deepEqual([status, body.error.code, body.error.cause.field], [400, 'REFERENCED_ENTITY_NOT_FOUND', field]);
        }
      });
      assert.deepEqual(left, []);
    },
  );

  test('an identity has one enrollment of a method, expired or not, and may have one of each', proves(259, 260, 338, 452), async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    const body = { identityId, method: 'ott', expiresAt: '2027-01-01T00:00:00Z' };
    assertRefused(await post(app, body), 409, 'ENROLLMENT_EXISTS');
    await app.create('/enrollments', { ...body, method: 'updb', username: 'annie' });
    assert.deepEqual(Object.keys(await ofIdentity(app, identityId)).sort(), ['ott', 'updb']);
    app.clock.advance('4h');
    const { system } = app.controller;
    await assert.rejects(system.enrollments.create({ body: { ...body, method: 'ott' } }), { code: 'ENROLLMENT_EXISTS' });
    await system.enrollments.delete({ id: enrollment.id });
    await system.enrollments.create({ body: { ...body, method: 'ott' } });
  });

  test('of many that ask at the same time for an enrollment of one method, one gets it', proves(260), async () => {
    await using app = await open();
    const body = { identityId: await person(app), method: 'ott', expiresAt: LATER };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(app, body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
  });

  test('enrollments are found by identity, token and dates, not by method, and tokens are not to be guessed at', async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    await toEnroll(app);
    const found = async (filter: string) =>
      (await app.request('GET', `/enrollments?filter=${encodeURIComponent(filter)}`)).body.data?.map(({ id }: { id: string }) => id);
    const only = [enrollment.id];
    assert.deepEqual(await found(`identity="${identityId}"`), only);
    assert.deepEqual(await found(`token="${enrollment.token}"`), only);
    assert.deepEqual(await found(`id="${enrollment.id}" and createdAt > datetime(2026-01-01T00:00:00Z)`), only);
    assert.deepEqual(await found('token contains "-"'), []);
    assert.deepEqual(await found('method="ott"'), undefined);
    const { meta } = (await app.request('GET', '/enrollments')).body;
    for (const field of ['id', 'token', 'identity', 'edgeRouter', 'transitRouter', 'caId', 'tags', 'createdAt', 'updatedAt'])
      assert.ok(meta.filterableFields.includes(field), field);
  });

  test(
    'a refresh gives another end and another token, answers with the id, and the old token is dead',
    proves(145, 256, 302, 330, 339),
    async () => {
      await using app = await open();
      const { enrollment } = await toEnroll(app);
      const { status, body } = await app.request('POST', `/enrollments/${enrollment.id}/refresh`, {
        body: { expiresAt: '2026-12-01T00:00:00Z' },
      });
      assert.deepEqual([status, body.data], [200, { _links: { self: { href: `./enrollments/${enrollment.id}` } }, id: enrollment.id }]);
      const now = await read(app, enrollment.id);
      assert.equal(now.expiresAt, '2026-12-01T00:00:00.000Z');
      assert.ok(now.token !== enrollment.token && now.jwt !== enrollment.jwt);
      const { csr: request } = await csr('CN=ann');
      assertRefused(await sendCsr(app, enrollment.token, request), 400, 'INVALID_ENROLLMENT_TOKEN');
      assert.equal((await sendCsr(app, now.token, request)).status, 200);
    },
  );

  test('an expired enrollment is refreshed like any other, and a refresh needs an end in the future', proves(145, 257, 339), async () => {
    await using app = await open();
    const { enrollment } = await toEnroll(app);
    app.clock.advance('3h');
    const as = (await app.login(ADMIN.username, ADMIN.password)).body.data.token;
    const refresh = (body: object) => app.request('POST', `/enrollments/${enrollment.id}/refresh`, { body, as });
    assertInvalid(await refresh({}), 'expiresAt');
    assertInvalid(await refresh({ expiresAt: NOW }), 'expiresAt');
    assertRefused(await refresh({ expiresAt: 'later' }), 400, 'COULD_NOT_PARSE_BODY');
    assert.equal((await refresh({ expiresAt: '2026-11-21T14:00:00Z' })).status, 200);
    const { token } = await app.controller.system.enrollments.get({ id: enrollment.id });
    assert.equal((await sendCsr(app, token, (await csr('CN=ann')).csr)).status, 200);
  });

  test('a deleted enrollment is gone, and its token with it', proves(258, 330, 337), async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    assert.deepEqual((await app.request('DELETE', `/enrollments/${enrollment.id}`)).body.data, {});
    for (const method of ['GET', 'DELETE']) assertRefused(await app.request(method, `/enrollments/${enrollment.id}`), 404, 'NOT_FOUND');
    assert.deepEqual(await ofIdentity(app, identityId), {});
    assertRefused(await sendCsr(app, enrollment.token, (await csr('CN=ann')).csr), 400, 'INVALID_ENROLLMENT_TOKEN');
    for (const method of ['PUT', 'PATCH'])
      assertRefused(await app.request(method, `/enrollments/${enrollment.id}`, { body: {} }), 405, 'METHOD_NOT_ALLOWED');
  });

  test('enrollments go with their identity', proves(289), async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    const left = await app.trail(() => app.request('DELETE', `/identities/${identityId}`));
    assert.deepEqual(left, ['delete enrollment', 'delete identity']);
    assertRefused(await app.request('GET', `/enrollments/${enrollment.id}`), 404, 'NOT_FOUND');
  });

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
      const { method, username, token, identityId } = await read(app, body.data.id);
      assert.deepEqual([method, username, identityId], ['updb', user.username, user.id]);
      assertRefused(await app.request('GET', '/current-identity', { as }), 401, 'UNAUTHORIZED');
      assertRefused(await app.login(user.username, PASSWORD), 401, 'INVALID_AUTH');
      assertRefused(await again({ expiresAt: LATER }), 404, 'NOT_FOUND');
      assert.equal((await setPassword(app, token, 'another password')).status, 200);
      assert.equal((await app.login(user.username, 'another password')).status, 200);
    },
  );

  test('a certificate authenticator is turned back into an ott enrollment', proves(278, 280), async () => {
    await using app = await open();
    const device = await enrolled(app);
    const { body } = await app.request('POST', `/authenticators/${device.authenticatorId}/re-enroll`, { body: { expiresAt: LATER } });
    const { method, username, caId } = await read(app, body.data.id);
    assert.deepEqual([method, username, caId], ['ott', null, undefined]);
    assert.deepEqual((await app.request('GET', `/identities/${device.identityId}`)).body.data.authenticators, {});
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

  test('no token lies in the store as it is, nor in a change record or an event', async () => {
    await using app = await open();
    const heard: unknown[] = [];
    app.controller.events.on('change', (change) => heard.push(change));
    const { enrollment } = await toEnroll(app);
    await app.request('POST', `/enrollments/${enrollment.id}/refresh`, { body: { expiresAt: LATER } });
    const { token, jwt } = await read(app, enrollment.id);
    const all = JSON.stringify([await app.rows('enrollment'), await app.rows('change'), heard, app.log]);
    assert.ok(heard.length > 0);
    for (const secret of [enrollment.token, enrollment.jwt, token, jwt, jwt.split('.')[1]]) assert.ok(!all.includes(secret));
  });
});
