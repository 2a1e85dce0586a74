import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { aCertificate } from '../support/certificates.ts';
import {
  begin,
  certifiedLogin,
  claimsOf,
  codeOf,
  exchange,
  forRefresh,
  lives,
  post,
  redeem,
  refresh,
  TYPE,
  tokensIn,
  tokensOf,
  withToken,
} from '../support/oidc.ts';
import { csr, rsa, sharedPki } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { certified, certifiedIn, leafOf } from '../support/session-certificates.ts';

const YEAR = 365 * 86_400_000;

onEveryStore('certificates of sessions of the provider', (open) => {
  test('a login with a certificate request gets a certificate of its session beside the tokens, for a year', async () => {
    await using app = await open();
    const user = await app.user();
    const { csr: pem, key } = await csr('CN=someone-else, O=ignored', { dnsNames: ['example.org'] });
    const { access_token, refresh_token, session_cert } = certifiedIn(await certifiedLogin(app, user.username, pem));
    const { root, signer } = await sharedPki();
    const [leaf, above] = String(session_cert).split(/(?<=-----END CERTIFICATE-----\n)/);
    const { certificate, fingerprint, certificates } = leafOf(leaf ?? '');
    assert.equal(above, signer.cert);
    assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
    const { z_asid: sessionId, z_cfs, z_acf } = claimsOf(access_token);
    assert.deepEqual([z_cfs, z_acf], [[fingerprint], undefined]);
    assert.deepEqual(claimsOf(refresh_token).z_cfs, [fingerprint]);
    const names = /^URI:spiffe:\/\/([^/]+)\/identity\/([^/]+)\/apiSession\/([^/]+)\/apiSessionCertificate\/([^/]+)$/.exec(
      certificate.subjectAltName ?? '',
    );
    const [, trustDomain, identityId, asid, certificateId] = names ?? [];
    assert.deepEqual([trustDomain, identityId, asid], [root.certificate.fingerprint, user.id, sessionId]);
    assert.equal(certificate.subject, `CN=${sessionId}`, 'nothing of the request but its key');
    assert.deepEqual([certificate.keyUsage, certificate.ca], [['1.3.6.1.5.5.7.3.2'], false]);
    assert.equal(certificate.validToDate.getTime() - certificate.validFromDate.getTime(), YEAR);
    const listed = await withToken(app, access_token, '/edge/client/v1/current-api-session/certificates', { certificates });
    assert.deepEqual(
      listed.body.data.map(({ id, fingerprint }: { readonly id: string; readonly fingerprint: string }) => [id, fingerprint]),
      [[certificateId, fingerprint]],
    );
  });

  test('the request comes as JSON or as a form, with every method, and an empty one is none', async () => {
    await using app = await open();
    const user = await app.user();
    const { certificates, fingerprint } = await aCertificate(app).then((own) => ({ ...own, fingerprint: own.certificate.fingerprint }));
    const { csr: csrPem } = await csr('CN=any', { algorithm: rsa(2048) });
    const byJson = await begin(app);
    const raw = JSON.stringify({ id: byJson.id, username: user.username, password: PASSWORD, csrPem });
    await app.request('POST', '/oidc/login/password', { as: null, raw, headers: { 'content-type': 'application/json' } });
    assert.ok((await redeem(app, byJson, await codeOf(app, byJson))).body.session_cert);

    const byCertificate = await begin(app, {}, { certificates });
    await post(app, '/login/cert', { id: byCertificate.id, csrPem }, { certificates });
    const { access_token, session_cert } = certifiedIn(await redeem(app, byCertificate, await codeOf(app, byCertificate)));
    const { z_cfs, z_acf } = claimsOf(access_token);
    assert.deepEqual([z_cfs, z_acf], [[fingerprint, leafOf(session_cert).fingerprint], fingerprint]);
    for (const presented of [certificates, leafOf(session_cert).certificates])
      assert.equal((await withToken(app, access_token, '/current-identity', { certificates: presented })).status, 200);

    const empty = tokensIn(await certifiedLogin(app, user.username, ''));
    assert.deepEqual([claimsOf(empty.access_token).z_cfs, 'session_cert' in empty], [null, false]);
  });

  test('a refresh renews the certificate with a request, and keeps it without one', async () => {
    await using app = await open();
    const { certificates, ...own } = await aCertificate(app);
    const login = await begin(app, {}, { certificates });
    await post(app, '/login/cert', { id: login.id, csrPem: (await csr('CN=any')).csr }, { certificates });
    const first = tokensIn(await redeem(app, login, await codeOf(app, login)));
    const [auth, issued] = claimsOf(first.access_token).z_cfs;
    assert.equal(auth, own.certificate.fingerprint);
    const kept = tokensIn(await refresh(app, first.refresh_token, {}, { certificates }));
    assert.deepEqual([claimsOf(kept.access_token).z_cfs, 'session_cert' in kept], [[auth, issued], false]);
    const csr_pem = (await csr('CN=other')).csr;
    const { access_token, refresh_token, session_cert } = certifiedIn(
      await refresh(app, kept.refresh_token, { csr_pem }, { certificates }),
    );
    const next = leafOf(session_cert);
    for (const token of [access_token, refresh_token])
      assert.deepEqual([claimsOf(token).z_cfs, claimsOf(token).z_acf], [[auth, next.fingerprint], auth]);
    assert.equal((await refresh(app, refresh_token, {}, next)).status, 200, 'the new certificate renews the tokens');
  });

  test('an exchange renews the certificate, too, and an ID token comes with none', async () => {
    await using app = await open();
    const user = await app.user();
    const { refresh_token, access_token, certificates } = await certified(app, user.username);
    const csr_pem = (await csr('CN=any')).csr;
    const by = (fields: Readonly<Record<string, string>>) => exchange(app, { csr_pem, ...fields }, undefined, { certificates });
    const exchanged = certifiedIn(await by(forRefresh(refresh_token)));
    assert.deepEqual(claimsOf(exchanged.refresh_token).z_cfs, [leafOf(exchanged.session_cert).fingerprint]);
    const access = await by({
      subject_token: access_token,
      subject_token_type: `${TYPE}access_token`,
      requested_token_type: `${TYPE}access_token`,
    });
    assert.deepEqual(claimsOf(access.body.access_token).z_cfs, [leafOf(access.body.session_cert).fingerprint]);
    const id = await by({ ...forRefresh(refresh_token), requested_token_type: `${TYPE}id_token` });
    assert.deepEqual([id.status, id.body.session_cert], [200, undefined]);
    // Connections that were opened with the former certificate stay usable.
    assert.equal((await withToken(app, exchanged.access_token, '/current-identity', { certificates })).status, 200);
  });

  test('a session keeps its fifty latest certificates, however often they are renewed', async () => {
    await using app = await open();
    const user = await app.user();
    let { refresh_token, ...presented } = await certified(app, user.username);
    const csr_pem = (await csr('CN=any')).csr;
    for (let i = 0; i < 55; i++) {
      const { body } = await refresh(app, refresh_token, { csr_pem }, { certificates: presented.certificates });
      app.clock.advance('1s');
      refresh_token = body.refresh_token;
      presented = { ...presented, ...leafOf(body.session_cert) };
    }
    assert.equal(await app.count('apiSessionCertificate'), 50);
    assert.equal((await refresh(app, refresh_token, {}, { certificates: presented.certificates })).status, 200);
  });

  test('tokens that are bound to certificates say whether the policy allows expired ones', async () => {
    await using app = await open();
    for (const [allowExpiredCerts, expected] of [
      [true, true],
      [false, undefined],
    ] as const) {
      const authPolicyId = await app.create('/auth-policies', policyBody(`allowed: ${allowExpiredCerts}`, { cert: { allowExpiredCerts } }));
      const { username } = await app.user({ authPolicyId });
      const { access_token, refresh_token } = await certified(app, username);
      for (const token of [access_token, refresh_token]) assert.equal(claimsOf(token).z_cae, expected);
      assert.equal(claimsOf((await tokensOf(app, username)).access_token).z_cae, undefined, 'others need not');
    }
  });

  test('behind a proxy that ends TLS, a host turns binding off, and tokens live without a certificate', async () => {
    await using app = await open({ oidc: { certificateBinding: false } });
    const user = await app.user();
    const { access_token, refresh_token } = await certified(app, user.username);
    assert.ok(await lives(app, access_token));
    const renewed = await refresh(app, refresh_token, { csr_pem: (await csr('CN=any')).csr });
    assert.deepEqual(claimsOf(renewed.body.access_token).z_cfs, [leafOf(renewed.body.session_cert).fingerprint]);
  });
});
