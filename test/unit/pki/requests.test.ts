import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import type { JsonName } from '@peculiar/x509';
import { clientProfile, issue } from '../../../src/crypto/pki/issue.ts';
import { writePem } from '../../../src/crypto/pki/pem.ts';
import { readRequest } from '../../../src/crypto/pki/request.ts';
import { webRandom } from '../../../src/runtime/platform/web.ts';
import { csr, NOW, P256, rsa } from '../../support/pki.ts';
import { ann, root } from './parties.ts';

describe('reading requests', () => {
  const accepted = [
    P256,
    { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
    { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
    { name: 'Ed25519' },
    rsa(2048),
  ];
  for (const algorithm of accepted)
    test(`a request for a key ${algorithm.name} ${algorithm.namedCurve ?? algorithm.modulusLength ?? ''} gets a certificate for that key`, async () => {
      const { csr: pem, key } = await csr('CN=ann, O=us', { algorithm });
      const request = await readRequest(pem);
      assert.ok(request);
      const certificate = await issue(clientProfile(request, NOW), root, webRandom);
      assert.ok(new X509Certificate(certificate.der).checkPrivateKey(createPrivateKey(key)));
      assert.ok(new X509Certificate(certificate.der).verify(new X509Certificate(root.cert).publicKey));
    });

  test('a text that is not exactly one request for a strong key is refused', async () => {
    const { csr: pem, der } = await csr('CN=ann');
    const broken = new Uint8Array(der);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    const { csr: small } = await csr('CN=ann', { algorithm: rsa(1024) });
    const refused = [
      '',
      'nonsense',
      ann.cert,
      ann.key,
      pem + pem,
      `${pem}-----BEGIN x`,
      writePem('CERTIFICATE REQUEST', broken),
      small,
      (await csr(`CN=${'x'.repeat(2000)}`)).csr,
    ];
    for (const text of refused) assert.equal(await readRequest(text), undefined, text.slice(0, 40));
  });

  test('text around a request is ignored', async () => {
    const { csr: pem } = await csr('CN=ann');
    for (const text of [`${pem}\n`, `Subject: CN=ann\n${pem}`, `${pem}x`]) assert.ok(await readRequest(text), text.slice(-4));
  });
});

type Subjects = readonly (readonly [what: string, subject: JsonName])[];

describe('the subject of a request', () => {
  const issued: Subjects = [
    ['no names', []],
    ['many names', Array.from({ length: 40 }, (_, i) => ({ OU: [`unit ${i}`] }))],
    ['a name of several parts', [{ CN: ['ann'], O: ['us'] }]],
    ['two common names', [{ CN: ['ann'] }, { CN: ['bert'] }]],
    ['a name of an unknown type', [{ '1.2.3.4.5': ['x'] }]],
    ['an emoji', [{ CN: ['😀'] }]],
    ['line breaks', [{ CN: ['a\r\nb, O=them'] }]],
    ['an empty name', [{ CN: [''] }]],
  ];
  for (const [what, subject] of issued)
    test(`with ${what} is copied to a certificate that can be read and stored`, async () => {
      const request = await readRequest((await csr(subject)).csr);
      assert.ok(request);
      const certificate = await issue(clientProfile(request, NOW), root, webRandom);
      assert.equal(certificate.subject, request.subject.toString());
      assert.ok(!certificate.subject.includes('\0') && certificate.subject.isWellFormed());
      assert.ok(new X509Certificate(certificate.der).verify(new X509Certificate(root.cert).publicKey));
    });

  const refused: Subjects = [
    ['a name that is not text', [{ CN: ['#0403010203'] }]],
    ['U+0000', [{ CN: ['a\u0000b'] }]],
    ['half of a surrogate pair', [{ CN: ['#1e02d800'] }]],
  ];
  for (const [what, subject] of refused)
    test(`with ${what} is refused`, async () => {
      assert.equal(await readRequest((await csr(subject)).csr), undefined);
    });
});
