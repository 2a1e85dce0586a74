import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import {
  beginMfa,
  enrollMfa,
  giveCode,
  isMfaEnabled,
  MFA,
  mfaStatus,
  RECOVERY_CODES,
  recoveryCodesOf,
  userWithSession,
} from '../support/mfa.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const CLIENT = '/edge/client/v1';

onEveryStore('MFA of an identity', (open) => {
  test('enrolling gives an id, and the status what an authenticator app needs', proves(5, 227, 261, 262, 299, 361, 362), async () => {
    await using app = await open();
    const { as, username } = await userWithSession(app);
    assertRefused(await mfaStatus(app, as), 404, 'NOT_FOUND');
    const begun = await app.request('POST', MFA, { as });
    const { id, ...place } = begun.body.data;
    assert.deepEqual([begun.status, place], [201, { _links: { self: { href: './current-identity/mfa' } } }]);
    const { headers, body } = await mfaStatus(app, as);
    const { provisioningUrl, recoveryCodes: codes, createdAt, updatedAt, ...rest } = body.data;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      _links: {
        self: { href: './current-identity/mfa' },
        'current-identity': { href: './current-identity' },
        qr: { href: './current-identity/mfa/qr-code' },
        verify: { href: './current-identity/mfa/verify' },
      },
      id,
      isVerified: false,
      tags: {},
    });
    assert.match(provisioningUrl, new RegExp(`^otpauth://totp/openziti\\.io:${username}\\?issuer=openziti\\.io&secret=[A-Z2-7]{32}$`));
    assert.deepEqual([codes.length, new Set(codes).size], [20, 20]);
    for (const code of codes) assert.match(code, /^[A-Z2-7]{6}$/);
    assert.equal(headers['cache-control'], 'no-store');
  });

  test(
    'a code of the app verifies the enrollment, and then its secret and recovery codes are shown no more',
    proves(17, 22, 126, 227, 263, 300, 367),
    async () => {
      await using app = await open();
      const { as, id } = await userWithSession(app);
      const { code } = await beginMfa(app, as);
      assert.equal(await isMfaEnabled(app, id), false);
      const { status: verified, body } = await app.request('POST', `${MFA}/verify`, { as, body: { code: code() } });
      assert.deepEqual([verified, body.data], [200, {}]);
      assert.equal(await isMfaEnabled(app, id), true);
      const { createdAt, updatedAt, id: _, ...shown } = (await mfaStatus(app, as)).body.data;
      assert.deepEqual(shown, {
        _links: {
          self: { href: './current-identity/mfa' },
          'current-identity': { href: './current-identity' },
          'recovery-codes': { href: './current-identity/mfa/recovery-codes' },
        },
        isVerified: true,
        recoveryCodes: null,
        tags: {},
      });
      assert.equal((await app.request('GET', '/summary')).body.data.mfas, 1);
    },
  );

  test('lists show for each identity whether it has MFA', proves(126), async () => {
    await using app = await open();
    const [enrolled, begun, without] = [await userWithSession(app), await userWithSession(app), await userWithSession(app)];
    await enrollMfa(app, enrolled.as);
    await beginMfa(app, begun.as);
    const { data } = (await app.request('GET', '/identities')).body;
    const enabled = (data as { id: string; isMfaEnabled: boolean }[]).filter((each) => each.isMfaEnabled).map(({ id }) => id);
    assert.deepEqual(enabled, [enrolled.id]);
    assert.equal((await app.request('GET', '/current-identity', { as: enrolled.as })).body.data.isMfaEnabled, true);
    assert.equal((await app.request('GET', '/current-identity', { as: without.as })).body.data.isMfaEnabled, false);
  });

  test('who began or finished to enroll cannot begin again, and keeps what there is', proves(265, 362, 453), async () => {
    await using app = await open();
    const { as } = await userWithSession(app);
    const { code, recoveryCodes } = await beginMfa(app, as);
    const refuses = async () => {
      const [status, stored] = [(await mfaStatus(app, as)).body.data, await app.rows('mfa')];
      const left = await app.trail(async () => assertRefused(await app.request('POST', MFA, { as }), 409, 'MFA_EXISTS'));
      assert.deepEqual([(await mfaStatus(app, as)).body.data, await app.rows('mfa'), left], [status, stored, []]);
    };
    await refuses();
    assert.equal((await app.request('POST', `${MFA}/verify`, { as, body: { code: code() } })).status, 200);
    await refuses();
    assert.deepEqual(await recoveryCodesOf(app, as, code()), recoveryCodes);
    assert.equal((await giveCode(app, as, code())).status, 200);
  });

  test('of many who begin at the same time, one does', proves(261), async () => {
    await using app = await open();
    const { as } = await userWithSession(app);
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.request('POST', MFA, { as })));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, ...Array(7).fill(409)]);
    assert.equal((await app.rows('mfa')).length, 1);
  });

  test('the QR code is a picture until the enrollment is verified, whatever the name and the issuer', proves(262), async () => {
    await using app = await open({ settings: { mfaIssuer: '😀'.repeat(40) } });
    const { as } = await userWithSession(app, { name: `"%\u2028${'😀'.repeat(300)}` });
    const picture = (accept = '*/*') => app.request('GET', `${MFA}/qr-code`, { as, headers: { accept } });
    assertRefused(await picture(), 404, 'NOT_FOUND');
    assertRefused(await picture('application/json'), 404, 'NOT_FOUND');
    const { code } = await beginMfa(app, as);
    const { status: found, headers, text } = await picture('image/png');
    assert.deepEqual([found, headers['content-type'], headers['cache-control']], [200, 'image/png', 'no-store']);
    assert.equal(text.slice(1, 4), 'PNG');
    assert.equal((await picture('application/json')).headers['content-type'], 'image/png');
    assertRefused(await picture('image/jpeg'), 406, 'COULD_NOT_VALIDATE');
    await app.request('POST', `${MFA}/verify`, { as, body: { code: code() } });
    assertRefused(await picture(), 404, 'NOT_FOUND');
  });

  test('the issuer in authenticator apps is the one that the host sets', async () => {
    await using app = await open({ settings: { mfaIssuer: 'Acme & Sons' } });
    const { as } = await userWithSession(app, { name: 'ann:b c' });
    await beginMfa(app, as);
    const { provisioningUrl } = (await mfaStatus(app, as)).body.data;
    assert.match(provisioningUrl, /^otpauth:\/\/totp\/Acme%20%26%20Sons:ann%3Ab%20c\?issuer=Acme%20%26%20Sons&secret=/);
  });

  test('settings of MFA that make no sense are refused', async () => {
    for (const settings of [{ mfaIssuer: '' }, { mfaIssuer: 'a:b' }, { mfaIssuer: 'x'.repeat(41) }, { mfaIssuer: '\ud800' }])
      await assert.rejects(open({ settings }), /^TypeError: setting mfaIssuer must have 1 to 40 characters and no colon/);
    await assert.rejects(open({ settings: { maxWrongCodes: 0 } }), /setting maxWrongCodes must be 1 or more/);
  });

  test('the client API has the same, and a factor begun on one API is finished on the other', proves(360), async () => {
    await using app = await open();
    const { as, login } = await userWithSession(app);
    assert.equal((await app.request('POST', `${CLIENT}${MFA}`, { as })).status, 201);
    await app.request('DELETE', `${CLIENT}${MFA}`, { as });
    const { code } = await beginMfa(app, as);
    assert.equal((await app.request('POST', `${CLIENT}${MFA}/verify`, { as, body: { code: code() } })).status, 200);
    const other = await login();
    assert.equal((await app.request('POST', `${CLIENT}/authenticate/mfa`, { as: other, body: { code: code() } })).status, 200);
    assert.equal((await app.request('GET', `${CLIENT}/current-identity`, { as: other })).status, 200);
    assertRefused(await app.request('DELETE', `${CLIENT}/identities/x/mfa`, { as: app.admin }), 404, 'NOT_FOUND');
  });

  test('a code is needed where it is needed, and is text', proves(229), async () => {
    await using app = await open();
    const { as } = await userWithSession(app);
    for (const path of [`${MFA}/verify`, RECOVERY_CODES, '/authenticate/mfa', '/current-api-session/totp-token']) {
      for (const body of [{}, { code: null }, { Code: '123456' }]) assertInvalid(await app.request('POST', path, { as, body }), 'code');
      for (const code of [123456, ['123456'], {}, true])
        assertRefused(await app.request('POST', path, { as, body: { code } }), 400, 'COULD_NOT_PARSE_BODY');
    }
  });

  test('a session that a login gave gets no TOTP token', async () => {
    await using app = await open();
    const { as } = await userWithSession(app);
    const { code } = await enrollMfa(app, as);
    for (const api of ['', CLIENT])
      assertRefused(
        await app.request('POST', `${api}/current-api-session/totp-token`, { as, body: { code: code() } }),
        400,
        'INVALID_BACKING_TOKEN_TYPE',
      );
  });
});
