import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, jwtVerify } from 'jose';
import { onEveryStore } from '../support/app.ts';
import { LATER, readEnrollment, toEnroll } from '../support/enrolling.ts';
import { SHARED_PKI } from '../support/pki.ts';

const NOW = '2026-11-21T10:00:00.000Z';

onEveryStore('tokens of enrollments', (open) => {
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
    const usual = { 'https://controller.example.com': 'controller.example.com:443', 'https://[fd00::1]': '[fd00::1]:443' };
    for (const [address, place] of Object.entries(usual)) {
      await using app = await open({ settings: { address } });
      const { enrollment } = await toEnroll(app);
      assert.deepEqual(decodeJwt(enrollment.jwt).ctrls, [`tls:${place}`]);
    }
  });

  test('no token lies in the store as it is, nor in a change record or an event', async () => {
    await using app = await open();
    const heard: unknown[] = [];
    app.controller.events.on('change', (change) => heard.push(change));
    const { enrollment } = await toEnroll(app);
    await app.request('POST', `/enrollments/${enrollment.id}/refresh`, { body: { expiresAt: LATER } });
    const { token, jwt } = await readEnrollment(app, enrollment.id);
    const all = JSON.stringify([await app.rows('enrollment'), await app.rows('change'), heard, app.log]);
    assert.ok(heard.length > 0);
    for (const secret of [enrollment.token, enrollment.jwt, token, jwt, jwt.split('.')[1]]) assert.ok(!all.includes(secret));
  });
});
