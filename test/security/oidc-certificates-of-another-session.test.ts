/** Certificates of sessions, against holders of a stolen token and clients that name others in their requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import {
  begin,
  byPassword,
  certifiedLogin,
  claimsOf,
  codeOf,
  exchange,
  forRefresh,
  lives,
  post,
  redeem,
  refresh,
  tokensIn,
  tokensOf,
  withToken,
} from '../support/oidc.ts';
import { csr, party, rsa, sharedPki } from '../support/pki.ts';
import { certified, certifiedIn, leafOf } from '../support/session-certificates.ts';

const AT = '/edge/client/v1/current-api-session/certificates';

/** A certificate request whose self-signature is that of another key. */
const stolenKey = (pem: string): string => {
  const der = Buffer.from(pem.replaceAll(/-----.*?-----|\s/g, ''), 'base64');
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
};

onEveryStore('certificates of sessions against their thieves', (open) => {
  const statusWith = async (app: App, token: string, certificates: readonly Uint8Array[], path = '/current-identity') =>
    (await withToken(app, token, path, { certificates })).status;

  test('a certificate request that names the session of another identity gets a certificate of the own session only', async () => {
    await using app = await open();
    const [attacker, victim] = [await app.user(), await app.user()];
    const target = await certified(app, victim.username);
    const uri = target.certificate.subjectAltName?.replace('URI:', '') ?? '';
    const names = [{ type: 'url', value: uri }] as const;
    const forged = certifiedIn(await certifiedLogin(app, attacker.username, (await csr(`CN=${victim.id}`, { names: [...names] })).csr));
    const { certificate, certificates } = leafOf(forged.session_cert);
    assert.ok(!certificate.toString().includes(victim.id) && !certificate.subjectAltName?.includes(victim.id));
    assert.ok(!certificate.subject.includes(victim.id));
    assert.equal(await statusWith(app, target.access_token, certificates), 401);
    const renewed = await refresh(
      app,
      forged.refresh_token,
      { csr_pem: (await csr('CN=any', { names: [...names] })).csr },
      { certificates },
    );
    assert.ok(!leafOf(renewed.body.session_cert).certificate.subjectAltName?.includes(victim.id));
  });

  test("a certificate of the network's authority that names the session, but was not issued to it, proves nothing", async () => {
    await using app = await open();
    const target = await certified(app, (await app.user()).username);
    const uris = [target.certificate.subjectAltName?.replace('URI:', '') ?? ''];
    const { signer } = await sharedPki();
    const forged = await party('forged', { by: signer, names: { uris } });
    const certificates = [forged.certificate.der, signer.certificate.der];
    for (const path of ['/current-identity', '/edge/client/v1/current-identity'])
      assert.equal(await statusWith(app, target.access_token, certificates, path), 401);
    assert.equal((await refresh(app, target.refresh_token, {}, { certificates })).body.error, 'access_denied');
  });

  test('a stolen token is of no use without the certificate, nor with that of another session of the same identity', async () => {
    await using app = await open();
    const { username } = await app.user();
    const [mine, other] = [await certified(app, username), await certified(app, username)];
    for (const certificates of [[], other.certificates]) {
      for (const path of ['/current-identity', '/edge/client/v1/current-identity'])
        assert.equal(await statusWith(app, mine.access_token, certificates, path), 401);
      for (const answer of [
        await refresh(app, mine.refresh_token, {}, { certificates }),
        await refresh(app, mine.refresh_token, { csr_pem: (await csr('CN=thief')).csr }, { certificates }),
        await exchange(app, forRefresh(mine.refresh_token), undefined, { certificates }),
      ]) {
        const { error, error_description } = answer.body;
        assert.deepEqual(
          [answer.status, error, error_description],
          [400, 'access_denied', 'peer certificate fingerprint does not match token'],
        );
      }
    }
    assert.equal((await refresh(app, mine.refresh_token, {}, mine)).status, 200, 'the thief has spent nothing');
  });

  test('a session that is bound to nothing gains no certificate by a refresh or an exchange', async () => {
    await using app = await open();
    const { username } = await app.user();
    let { refresh_token } = await tokensOf(app, username);
    for (const csr_pem of [(await csr('CN=any')).csr, 'nonsense'])
      for (const renewed of [await refresh(app, refresh_token, { csr_pem }), undefined]) {
        const answer = renewed ?? (await exchange(app, { ...forRefresh(refresh_token), csr_pem }));
        assert.deepEqual([answer.status, answer.body.session_cert], [200, undefined], answer.text);
        assert.equal(claimsOf(answer.body.access_token).z_cfs, null);
        refresh_token = answer.body.refresh_token;
      }
    assert.equal(await app.count('apiSessionCertificate'), 0);
  });

  const bad: Readonly<Record<string, () => Promise<string>>> = {
    'with a weak key': async () => (await csr('CN=any', { algorithm: rsa(1024) })).csr,
    'for the key of another': async () => stolenKey((await csr('CN=any')).csr),
    'that is none': async () => 'nonsense',
  };
  for (const [name, make] of Object.entries(bad))
    test(`a certificate request ${name} is refused, and spends neither code nor refresh token`, async () => {
      await using app = await open();
      const { username } = await app.user();
      const assertInvalid = ({ status, body }: Awaited<ReturnType<typeof refresh>>) => {
        assert.deepEqual([status, body.error], [400, 'invalid_request']);
        assert.match(body.error_description, /^invalid CSR: /);
      };
      const login = await begin(app);
      assert.equal((await post(app, '/login/username', { id: login.id, username, password: PASSWORD, csrPem: await make() })).status, 302);
      const code = await codeOf(app, login);
      for (let i = 0; i < 2; i++) assertInvalid(await redeem(app, login, code));
      await post(app, '/login/username', { id: login.id, username, password: PASSWORD, csrPem: (await csr('CN=any')).csr });
      const tokens = certifiedIn(await redeem(app, login, await codeOf(app, login)));
      const { certificates } = leafOf(tokens.session_cert);
      assertInvalid(await refresh(app, tokens.refresh_token, { csr_pem: await make() }, { certificates }));
      assertInvalid(await exchange(app, { ...forRefresh(tokens.refresh_token), csr_pem: await make() }, undefined, { certificates }));
      assert.equal((await refresh(app, tokens.refresh_token, {}, { certificates })).status, 200);
    });

  test('the certificate request of one identity is void once another logs in in the same login', async () => {
    await using app = await open();
    const [attacker, victim] = [await app.user(), await app.user()];
    const login = await begin(app);
    const csrPem = (await csr('CN=attacker')).csr;
    await post(app, '/login/username', { id: login.id, username: attacker.username, password: PASSWORD, csrPem });
    await byPassword(app, login, victim.username);
    const { body } = await redeem(app, login, await codeOf(app, login));
    assert.deepEqual([claimsOf(body.access_token).sub, body.session_cert], [victim.id, undefined]);
  });

  test('a certificate of a session cannot be used to log in, and ends with its session', async () => {
    await using app = await open();
    const { username } = await app.user();
    const { access_token, certificates } = await certified(app, username);
    const { signer } = await sharedPki();
    const chain = [...certificates, signer.certificate.der];
    const plain = await app.request('POST', '/authenticate?method=cert', { as: null, body: {}, certificates: chain });
    assert.equal(plain.status, 401);
    const login = await begin(app, {}, { certificates: chain });
    assert.equal((await post(app, '/login/cert', { id: login.id }, { certificates: chain })).status, 401);
    assert.equal((await withToken(app, access_token, '/current-api-session', { method: 'DELETE', certificates })).status, 200);
    assert.equal(await statusWith(app, access_token, certificates), 401);
    assert.equal(await app.count('apiSessionCertificate'), 0);
  });

  test('a certificate that its owner has deleted is dead at once, and one that the client got elsewhere does not renew tokens', async () => {
    await using app = await open();
    const { certificates } = await aCertificate(app);
    const login = await begin(app, {}, { certificates });
    await post(app, '/login/cert', { id: login.id, csrPem: (await csr('CN=any')).csr }, { certificates });
    const { access_token, refresh_token, session_cert } = certifiedIn(await redeem(app, login, await codeOf(app, login)));
    const issued = leafOf(session_cert);
    const made = await withToken(app, access_token, AT, { method: 'POST', body: { csr: (await csr('CN=any')).csr }, certificates });
    const elsewhere = leafOf(made.body.data.certificate);
    assert.equal(await statusWith(app, access_token, elsewhere.certificates), 200);
    assert.equal((await refresh(app, refresh_token, {}, elsewhere)).body.error, 'access_denied');
    const [, id] = /apiSessionCertificate\/(.*)$/.exec(issued.certificate.subjectAltName ?? '') ?? [];
    assert.equal((await withToken(app, access_token, `${AT}/${id}`, { method: 'DELETE', certificates })).status, 200);
    assert.equal(await statusWith(app, access_token, issued.certificates), 401);
    assert.equal((await refresh(app, refresh_token, {}, issued)).body.error, 'access_denied');
    assert.equal(await lives(app, access_token), false);
    assert.ok(tokensIn(await refresh(app, refresh_token, {}, { certificates })).access_token);
  });
});
