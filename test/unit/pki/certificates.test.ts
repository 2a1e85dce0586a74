import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { beginsWith, certificatesPem, readCertificate, readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { readPem, writePem } from '../../../src/crypto/pki/pem.ts';
import { x509 } from '../../../src/crypto/pki/x509.ts';
import { party } from '../../support/pki.ts';
import { ann, root } from './parties.ts';

describe('reading certificates', () => {
  test('a certificate gives its contents, and has the SHA-1 of its bytes for a name', () => {
    const { certificate } = ann;
    assert.equal(certificate.fingerprint, createHash('sha1').update(certificate.der).digest('hex'));
    assert.equal(certificate.fingerprint, new X509Certificate(ann.cert).fingerprint.replaceAll(':', '').toLowerCase());
    assert.deepEqual(
      [certificate.subject, certificate.commonName, certificate.isCa, root.certificate.isCa],
      ['CN=ann', 'ann', false, true],
    );
    assert.deepEqual(
      [certificate.uris, certificate.emails, certificate.dnsNames, certificate.ipAddresses],
      [['spiffe://a/b'], ['ann@example.org'], ['ann'], ['127.0.0.1']],
    );
  });

  test('a certificate whose names hold U+0000 is none', async () => {
    for (const names of [{ emails: ['ann\0@example.org'] }, { uris: ['spiffe://a\0/b'] }])
      await assert.rejects(party('ann', { by: root, names }), /cannot be parsed/);
    await assert.rejects(party('ann\0', { by: root }), /cannot be parsed/);
  });

  test('a text in PEM begins with the certificate that it begins with', () => {
    assert.ok(beginsWith(ann.cert + root.cert, ann.certificate));
    for (const text of [root.cert + ann.cert, ann.key, '', 'x']) assert.equal(beginsWith(text, ann.certificate), false);
  });

  test('a text may hold several, and words around them', async () => {
    const { value } = await readCertificates(`the chain of ann:\n${ann.cert}\n 0 s:/CN=root\n   i:/CN=root\n${root.cert}\nand so on\n`);
    assert.deepEqual(
      value?.map(({ commonName }) => commonName),
      ['ann', 'root'],
    );
    assert.equal(certificatesPem(value ?? []), ann.cert + root.cert);
  });

  const der = ann.certificate.der;
  const faults: readonly (readonly [string, string, string])[] = [
    ['an empty text', '', 'noPem'],
    ['words', 'no certificate', 'noPem'],
    ['a key', ann.key, 'anotherType'],
    ['a certificate and a key', ann.cert + ann.key, 'anotherType'],
    ['a certificate and half of another one', `${ann.cert}${root.cert.slice(0, 200)}`, 'trailingData'],
    ['half of a certificate before another one', `${root.cert.slice(200)}${ann.cert}`, 'trailingData'],
    ['two where one is asked for', ann.cert + root.cert, 'tooMany'],
    ['no base64', '-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----', 'malformed'],
    ['other bytes', writePem('CERTIFICATE', new Uint8Array([1, 2, 3])), 'malformed'],
    ['a sequence of nothing', writePem('CERTIFICATE', new Uint8Array([0x30, 0])), 'malformed'],
    ['bytes after the certificate', writePem('CERTIFICATE', new Uint8Array([...der, 0])), 'malformed'],
    ['half of it', writePem('CERTIFICATE', der.subarray(0, 200)), 'malformed'],
    ['twenty kilobytes', writePem('CERTIFICATE', new Uint8Array([0x30, 0x82, 0x4e, 0x20, ...new Uint8Array(20_000)])), 'tooLarge'],
    ['a megabyte', 'x'.repeat(1_000_000), 'tooLarge'],
  ];
  for (const [name, pem, fault] of faults)
    test(`${name}: ${fault}`, async () => {
      assert.deepEqual(await readCertificates(pem, 1), { fault });
    });

  test('whatever bytes come, the answer is a certificate or none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { maxLength: 4 }), async (changes) => {
        const bytes = new Uint8Array(der);
        for (const [at, value] of changes) bytes[at] = value;
        const read = await readCertificate(bytes);
        if (read) assert.deepEqual(read.der, bytes);
      }),
      { numRuns: 200 },
    );
  });

  test('bytes and PEM say the same', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 300 }), (content) => {
        const length =
          content.length < 0x80
            ? [content.length]
            : content.length < 0x100
              ? [0x81, content.length]
              : [0x82, content.length >> 8, content.length & 0xff];
        const bytes = new Uint8Array([0x30, ...length, ...content]);
        assert.deepEqual(readPem(writePem('X', bytes), { labels: ['X'], maxBlocks: 1 }).value, [bytes]);
      }),
    );
  });

  test('the library is loaded without leaving a trace on Reflect', async () => {
    await x509();
    assert.deepEqual(
      ['getMetadata', 'getOwnMetadata'].filter((name) => name in Reflect),
      [],
    );
  });
});
