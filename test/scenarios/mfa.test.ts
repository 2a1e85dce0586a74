import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { beginMfa, enrollMfa, giveCode } from '../support/mfa.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const AT = '/current-identity/mfa';
const CODES = `${AT}/recovery-codes`;
const CLIENT = '/edge/client/v1';

const someone = async (app: App, fields?: Readonly<Record<string, unknown>>) => {
  const user = await app.user(fields);
  return { ...user, as: await user.login() };
};
const isMfaEnabled = async (app: App, id: string) => (await app.request('GET', `/identities/${id}`)).body.data.isMfaEnabled;
const status = (app: App, as: string) => app.request('GET', AT, { as });
const recoveryCodes = async (app: App, as: string, code: string): Promise<readonly string[]> =>
  (await app.request('GET', CODES, { as, headers: { 'mfa-validation-code': code } })).body.data.recoveryCodes;

onEveryStore('MFA of an identity', (open) => {
  test('enrolling gives an id, and the status what an authenticator app needs', proves(227, 261, 262, 299, 361, 362), async () => {
    await using app = await open();
    const { as, username } = await someone(app);
    assertRefused(await status(app, as), 404, 'NOT_FOUND');
    const begun = await app.request('POST', AT, { as });
    const { id, ...place } = begun.body.data;
    assert.deepEqual([begun.status, place], [201, { _links: { self: { href: './current-identity/mfa' } } }]);
    const { headers, body } = await status(app, as);
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
    proves(126, 263, 300, 367),
    async () => {
      await using app = await open();
      const { as, id } = await someone(app);
      const { code } = await beginMfa(app, as);
      assert.equal(await isMfaEnabled(app, id), false);
      const { status: verified, body } = await app.request('POST', `${AT}/verify`, { as, body: { code: code() } });
      assert.deepEqual([verified, body.data], [200, {}]);
      assert.equal(await isMfaEnabled(app, id), true);
      const { createdAt, updatedAt, id: _, ...shown } = (await status(app, as)).body.data;
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

  test('lists tell of each identity whether it has MFA', proves(126), async () => {
    await using app = await open();
    const [enrolled, begun, without] = [await someone(app), await someone(app), await someone(app)];
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
    const { as } = await someone(app);
    const { code } = await beginMfa(app, as);
    const before = await status(app, as);
    assertRefused(await app.request('POST', AT, { as }), 409, 'MFA_EXISTS');
    assert.deepEqual((await status(app, as)).body.data, before.body.data);
    await app.request('POST', `${AT}/verify`, { as, body: { code: code() } });
    assertRefused(await app.request('POST', AT, { as }), 409, 'MFA_EXISTS');
    assert.equal((await status(app, as)).body.data.isVerified, true);
  });

  test('of many who begin at the same time, one does', proves(261), async () => {
    await using app = await open();
    const { as } = await someone(app);
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.request('POST', AT, { as })));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, ...Array(7).fill(409)]);
    assert.equal((await app.rows('mfa')).length, 1);
  });

  test('the QR code is a picture until the enrollment is verified, whatever the name and the issuer', proves(262), async () => {
    await using app = await open({ settings: { mfaIssuer: '😀'.repeat(40) } });
    const { as } = await someone(app, { name: `"%\u2028${'😀'.repeat(300)}` });
    const picture = (accept = '*/*') => app.request('GET', `${AT}/qr-code`, { as, headers: { accept } });
    assertRefused(await picture(), 404, 'NOT_FOUND');
    assertRefused(await picture('application/json'), 404, 'NOT_FOUND');
    const { code } = await beginMfa(app, as);
    const { status: found, headers, text } = await picture('image/png');
    assert.deepEqual([found, headers['content-type'], headers['cache-control']], [200, 'image/png', 'no-store']);
    assert.equal(text.slice(1, 4), 'PNG');
    assert.equal((await picture('application/json')).headers['content-type'], 'image/png');
    assertRefused(await picture('image/jpeg'), 406, 'COULD_NOT_VALIDATE');
    await app.request('POST', `${AT}/verify`, { as, body: { code: code() } });
    assertRefused(await picture(), 404, 'NOT_FOUND');
  });

  test('the issuer in authenticator apps is the one that the host sets', async () => {
    await using app = await open({ settings: { mfaIssuer: 'Acme & Sons' } });
    const { as } = await someone(app, { name: 'ann:b c' });
    await beginMfa(app, as);
    const { provisioningUrl } = (await status(app, as)).body.data;
    assert.match(provisioningUrl, /^otpauth:\/\/totp\/Acme%20%26%20Sons:ann%3Ab%20c\?issuer=Acme%20%26%20Sons&secret=/);
  });

  test('settings of MFA that make no sense are refused', async () => {
    for (const settings of [{ mfaIssuer: '' }, { mfaIssuer: 'a:b' }, { mfaIssuer: 'x'.repeat(41) }, { mfaIssuer: '\ud800' }])
      await assert.rejects(open({ settings }), /^TypeError: setting mfaIssuer must have 1 to 40 characters and no colon/);
    await assert.rejects(open({ settings: { maxWrongCodes: 0 } }), /setting maxWrongCodes must be 1 or more/);
  });

  test(
    'recovery codes are seen by a code of the app, in the header or in the body, and that of the body counts',
    proves(228, 264, 364, 365, 438),
    async () => {
      await using app = await open();
      const { as } = await someone(app);
      const factor = await enrollMfa(app, as);
      const header = (code: string) => ({ 'mfa-validation-code': code });
      const wrong = factor.wrongCode();
      for (const options of [
        { headers: header(factor.code()) },
        { body: { code: factor.code() } },
        { headers: header(wrong), body: { code: factor.code() } },
        { headers: header(factor.code()), body: {} },
      ]) {
        const { body, headers } = await app.request('GET', CODES, { as, ...options });
        assert.deepEqual(body.data.recoveryCodes, factor.recoveryCodes);
        assert.equal(headers['cache-control'], 'no-store');
      }
      for (const options of [
        {},
        { headers: header(wrong) },
        { headers: header(factor.code()), body: { code: wrong } },
        { body: { code: '' } },
      ])
        assertRefused(await app.request('GET', CODES, { as, ...options }), 400, 'MFA_INVALID_TOKEN');
    },
  );

  test('a recovery code that was used is not among those that are left', proves(264), async () => {
    await using app = await open();
    const { as, login } = await someone(app);
    const { recoveryCodes: codes, code } = await enrollMfa(app, as);
    for (const place of [3, 4]) assert.equal((await giveCode(app, await login(), codes[place] ?? '')).status, 200);
    assert.deepEqual(
      await recoveryCodes(app, as, code()),
      codes.filter((_, place) => place !== 3 && place !== 4),
    );
  });

  test('new recovery codes replace all earlier ones, by a code of the app or by one of them', proves(269, 366), async () => {
    await using app = await open();
    const { as, login } = await someone(app);
    const { recoveryCodes: first, code } = await enrollMfa(app, as);
    await giveCode(app, await login(), first[0] ?? '');
    const replace = (by: string) => app.request('POST', CODES, { as, body: { code: by } });
    assert.deepEqual((await replace(code())).body.data, {});
    const second = await recoveryCodes(app, as, code());
    assert.equal((await replace(second[0] ?? '')).status, 200);
    const third = await recoveryCodes(app, as, code());
    assert.deepEqual([second.length, third.length, new Set([...first, ...second, ...third]).size], [20, 20, 60]);
    for (const old of [first[1], second[0], second[1]]) {
      assertRefused(await replace(old ?? ''), 400, 'MFA_INVALID_TOKEN');
      assertRefused(await giveCode(app, await login(), old ?? ''), 400, 'MFA_INVALID_TOKEN');
    }
  });

  test(
    'MFA ends by a code of the app or a recovery code, in the header or in the body, and may begin anew',
    proves(266, 363, 438),
    async () => {
      await using app = await open();
      const { as, id } = await someone(app);
      const secrets = new Set<string>();
      for (const place of ['header', 'body'] as const) {
        for (const means of ['app', 'recovery'] as const) {
          const factor = await enrollMfa(app, as);
          secrets.add(factor.secret);
          const by = means === 'app' ? factor.code() : (factor.recoveryCodes[7] ?? '');
          const end = (code: string) =>
            app.request('DELETE', AT, { as, ...(place === 'header' ? { headers: { 'mfa-validation-code': code } } : { body: { code } }) });
          assertRefused(await app.request('DELETE', AT, { as }), 400, 'MFA_INVALID_TOKEN');
          assertRefused(await end(factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
          assert.deepEqual((await end(by)).body.data, {});
          assert.equal(await isMfaEnabled(app, id), false);
          assertRefused(await status(app, as), 404, 'NOT_FOUND');
          assertRefused(await end(by), 404, 'NOT_FOUND');
        }
      }
      assert.equal(secrets.size, 4);
    },
  );

  test('an enrollment that was not finished asks nothing of a login, and ends without a code', proves(267), async () => {
    await using app = await open();
    const { as, username } = await someone(app);
    await beginMfa(app, as);
    const { isMfaRequired, authQueries } = (await app.login(username, PASSWORD)).body.data;
    assert.deepEqual([isMfaRequired, authQueries], [false, []]);
    assert.equal((await app.request('DELETE', AT, { as, headers: { 'mfa-validation-code': 'nonsense' } })).status, 200);
    assertRefused(await status(app, as), 404, 'NOT_FOUND');
  });

  test(
    'an administrator ends the MFA of an identity, also where there is none, and of none that is unknown',
    proves(268, 298, 368),
    async () => {
      await using app = await open();
      const { as, id, username } = await someone(app);
      await enrollMfa(app, as);
      assertRefused(await app.request('DELETE', `/identities/${id}/mfa`, { as }), 401, 'UNAUTHORIZED');
      for (let again = 0; again < 2; again++) assert.deepEqual((await app.request('DELETE', `/identities/${id}/mfa`)).body.data, {});
      assert.equal(await isMfaEnabled(app, id), false);
      assert.equal((await app.login(username, PASSWORD)).body.data.isMfaRequired, false);
      assertRefused(await app.request('DELETE', '/identities/nobody/mfa'), 404, 'NOT_FOUND');
    },
  );

  test('MFA goes with its identity', proves(291), async () => {
    await using app = await open();
    const { as, id } = await someone(app);
    await enrollMfa(app, as);
    const left = await app.trail(() => app.request('DELETE', `/identities/${id}`));
    assert.ok(left.includes('delete mfa'));
    assert.deepEqual(await app.rows('mfa'), []);
  });

  test('the client API has the same, and a factor begun on one API is finished on the other', proves(360), async () => {
    await using app = await open();
    const { as, login } = await someone(app);
    assert.equal((await app.request('POST', `${CLIENT}${AT}`, { as })).status, 201);
    await app.request('DELETE', `${CLIENT}${AT}`, { as });
    const { code } = await beginMfa(app, as);
    assert.equal((await app.request('POST', `${CLIENT}${AT}/verify`, { as, body: { code: code() } })).status, 200);
    const other = await login();
    assert.equal((await app.request('POST', `${CLIENT}/authenticate/mfa`, { as: other, body: { code: code() } })).status, 200);
    assert.equal((await app.request('GET', `${CLIENT}/current-identity`, { as: other })).status, 200);
    assertRefused(await app.request('DELETE', `${CLIENT}/identities/x/mfa`, { as: app.admin }), 404, 'NOT_FOUND');
  });

  test('a code is needed where it is needed, and is text', proves(229), async () => {
    await using app = await open();
    const { as } = await someone(app);
    for (const path of [`${AT}/verify`, CODES, '/authenticate/mfa', '/current-api-session/totp-token']) {
      for (const body of [{}, { code: null }, { Code: '123456' }]) assertInvalid(await app.request('POST', path, { as, body }), 'code');
      for (const code of [123456, ['123456'], {}, true])
        assertRefused(await app.request('POST', path, { as, body: { code } }), 400, 'COULD_NOT_PARSE_BODY');
    }
  });

  test('a session that a login gave gets no TOTP token', async () => {
    await using app = await open();
    const { as } = await someone(app);
    const { code } = await enrollMfa(app, as);
    for (const api of ['', CLIENT])
      assertRefused(
        await app.request('POST', `${api}/current-api-session/totp-token`, { as, body: { code: code() } }),
        400,
        'INVALID_BACKING_TOKEN_TYPE',
      );
  });
});
