import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { enrollmentsOf, LATER, readEnrollment, sendCsr, toEnroll } from '../support/enrolling.ts';
import { aPerson } from '../support/identities.ts';
import { csr } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const NOW = '2026-11-21T10:00:00.000Z';
const post = (app: App, body: object) => app.request('POST', '/enrollments', { body });

onEveryStore('enrollments', (open) => {
  test(
    'an enrollment shows whose it is, its method and end, its token and its JWT',
    proves(5, 135, 136, 137, 138, 139, 140, 330),
    async () => {
      await using app = await open();
      const identityId = await aPerson(app);
      const id = await app.create('/enrollments', {
        identityId,
        method: 'ott',
        expiresAt: '2026-11-21T14:30:00+01:00',
        caId: null,
        username: 'nobody',
      });
      const { token, jwt, identity, createdAt, updatedAt, ...fields } = await readEnrollment(app, id);
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
        tags: {},
      });
      assert.deepEqual(
        [identity.entity, identity.urlName, identity.id, identity.name, identity._links.self.href],
        ['identities', 'identities', identityId, 'ann', `./identities/${identityId}`],
      );
    },
  );

  test('an updb enrollment shows its username', proves(138, 139, 144), async () => {
    await using app = await open();
    const id = await app.create('/enrollments', { identityId: await aPerson(app), method: 'updb', username: 'annie', expiresAt: LATER });
    const { method, username } = await readEnrollment(app, id);
    assert.deepEqual([method, username], ['updb', 'annie']);
  });

  test('an enrollment for a certificate of an authority shows the authority, and goes with it', proves(136, 138, 140, 144), async () => {
    await using app = await open();
    const [identityId, ca] = [await aPerson(app), await aCa(app)];
    const id = await app.create('/enrollments', { identityId, method: 'ottca', caId: ca.id, expiresAt: LATER, username: 'annie' });
    const { method, caId, ca: shown, username } = await readEnrollment(app, id);
    assert.deepEqual([method, caId, username], ['ottca', ca.id, undefined]);
    assert.deepEqual([shown.entity, shown.id, shown.name], ['cas', ca.id, ca.name]);
    const { ottca } = await enrollmentsOf(app, identityId);
    assert.deepEqual([ottca.id, ottca.caId, ottca.ca], [id, ca.id, shown]);
    const other = await app.create('/enrollments', { identityId, method: 'ott', caId: ca.id, username: null, expiresAt: LATER });
    assert.equal((await readEnrollment(app, other)).ca, null);
    await app.request('DELETE', `/cas/${ca.id}`);
    assert.deepEqual(Object.keys(await enrollmentsOf(app, identityId)), ['ott']);
  });

  test('creation needs an identity, a method and an end, of the right kind', proves(138, 141, 142, 143, 338), async () => {
    await using app = await open();
    const good = { identityId: await aPerson(app), method: 'ott', expiresAt: LATER };
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
      const good = { identityId: await aPerson(app), method: 'ott', expiresAt: LATER };
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
    assert.deepEqual(Object.keys(await enrollmentsOf(app, identityId)).sort(), ['ott', 'updb']);
    app.clock.advance('4h');
    const { system } = app.controller;
    await assert.rejects(system.enrollments.create({ body: { ...body, method: 'ott' } }), { code: 'ENROLLMENT_EXISTS' });
    await system.enrollments.delete({ id: enrollment.id });
    await system.enrollments.create({ body: { ...body, method: 'ott' } });
  });

  test('of many that ask at the same time for an enrollment of one method, one gets it', proves(260), async () => {
    await using app = await open();
    const body = { identityId: await aPerson(app), method: 'ott', expiresAt: LATER };
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
      const now = await readEnrollment(app, enrollment.id);
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
    assert.deepEqual(await enrollmentsOf(app, identityId), {});
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
});
