import assert from 'node:assert/strict';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import type { JsonName } from '@peculiar/x509';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { certsOnly } from '../../../src/pki/bundle.ts';
import { beginsWith, certificatesPem, Eku, KeyUsage, readCertificate, readCertificates } from '../../../src/pki/certificate.ts';
import { validateChain } from '../../../src/pki/chain.ts';
import { issue } from '../../../src/pki/issue.ts';
import { openNetworkKey } from '../../../src/pki/network-key.ts';
import { readPem, writePem } from '../../../src/pki/pem.ts';
import { clientProfile, serverProfile, sessionProfile } from '../../../src/pki/profiles.ts';
import { readRequest } from '../../../src/pki/request.ts';
import { openSigner } from '../../../src/pki/signer.ts';
import { x509 } from '../../../src/pki/x509.ts';
import { webRandom } from '../../../src/platform/web.ts';
import { authority, csr, NOW, P256, party, rsa } from '../../support/pki.ts';

const root = await authority('root');
const ann = await party('ann', {
  by: root,
  names: { uris: ['spiffe://a/b'], emails: ['ann@example.org'], dnsNames: ['ann'], ipAddresses: ['127.0.0.1'] },
});

describe('reading certificates', () => {
  test('a certificate tells what it says, and has the SHA-1 of its bytes for a name', () => {
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
      await assert.rejects(party('ann', { by: root, names }), /cannot be read/);
    await assert.rejects(party('ann\0', { by: root }), /cannot be read/);
  });

  test('a text in PEM begins with the certificate that it begins with', () => {
    assert.ok(beginsWith(ann.cert + root.cert, ann.certificate));
    for (const text of [root.cert + ann.cert, ann.key, '', 'x']) assert.equal(beginsWith(text, ann.certificate), false);
  });

  test('a text may hold several, and words before the first', async () => {
    const { value } = await readCertificates(`the chain of ann:\n${ann.cert}\n\n${root.cert}`);
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
    ['a certificate and words', `${ann.cert}and so on`, 'trailingData'],
    ['words between two', `${ann.cert}and${root.cert}`, 'trailingData'],
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
        assert.deepEqual(readPem(writePem('X', bytes), { labels: ['X'], most: 1 }).value, [bytes]);
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

  test('what is no request of one good key is refused', async () => {
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
      `${pem}x`,
      writePem('CERTIFICATE REQUEST', broken),
      small,
      (await csr(`CN=${'x'.repeat(2000)}`)).csr,
    ];
    for (const text of refused) assert.equal(await readRequest(text), undefined, text.slice(0, 40));
    assert.ok(await readRequest(`${pem}\n`));
  });
});

describe('subjects of requests', () => {
  const subjects: readonly (readonly [string, JsonName])[] = [
    ['nothing', []],
    ['many names', Array.from({ length: 40 }, (_, i) => ({ OU: [`unit ${i}`] }))],
    ['a name of several parts', [{ CN: ['ann'], O: ['us'] }]],
    ['two common names', [{ CN: ['ann'] }, { CN: ['bert'] }]],
    ['a type that nobody knows', [{ '1.2.3.4.5': ['x'] }]],
    ['a name that is no text', [{ CN: ['#0403010203'] }]],
    ['an emoji', [{ CN: ['😀'] }]],
    ['U+0000', [{ CN: ['a\u0000b'] }]],
    ['half of a surrogate pair', [{ CN: ['#1e02d800'] }]],
    ['line breaks', [{ CN: ['a\r\nb, O=them'] }]],
    ['an empty name', [{ CN: [''] }]],
  ];
  for (const [name, subject] of subjects)
    test(`${name}: refused, or in a certificate that can be read and stored`, async () => {
      const request = await readRequest((await csr(subject)).csr);
      if (!request) return;
      const certificate = await issue(clientProfile(request, NOW), root, webRandom);
      assert.equal(certificate.subject, request.subject.toString());
      assert.ok(!certificate.subject.includes('\0') && certificate.subject.isWellFormed());
      assert.ok(new X509Certificate(certificate.der).verify(new X509Certificate(root.cert).publicKey));
    });
});

describe('issuing certificates', () => {
  const request = async (dnsNames: readonly string[] = []) => {
    const read = await readRequest((await csr('CN=ann, O=us', { dnsNames })).csr);
    assert.ok(read);
    return read;
  };

  test('a client gets a year from a minute ago, its subject, the usage of a client, and none of the names that it asks for', async () => {
    const certificate = await issue(clientProfile(await request(['example.org']), NOW), root, webRandom);
    assert.equal(certificate.subject, 'CN=ann, O=us');
    assert.deepEqual(
      [certificate.notBefore, certificate.notAfter],
      [NOW - 60_000, NOW + 365 * 86_400_000].map((at) => Math.min(at, root.certificate.notAfter)),
    );
    assert.deepEqual(
      [certificate.dnsNames, certificate.isCa, certificate.keyUsage, certificate.extendedKeyUsage],
      [[], false, 13, ['1.3.6.1.5.5.7.3.2']],
    );
    assert.equal(certificate.authorityKeyId, root.certificate.subjectKeyId);
    const { keyUsage } = new X509Certificate(certificate.der);
    assert.deepEqual(keyUsage, ['1.3.6.1.5.5.7.3.2']);
  });

  test('a server gets the names that it is given, and a session only its own for twelve hours', async () => {
    const server = await issue(
      serverProfile(await request(), NOW, { dnsNames: ['r.example.org'], ipAddresses: ['10.0.0.1'] }),
      root,
      webRandom,
    );
    assert.deepEqual(
      [server.dnsNames, server.ipAddresses, server.extendedKeyUsage],
      [['r.example.org'], ['10.0.0.1'], ['1.3.6.1.5.5.7.3.1']],
    );
    const session = await issue(sessionProfile(await request(['x']), NOW, 'spiffe://a/identity/b'), root, webRandom);
    assert.deepEqual(
      [session.uris, session.dnsNames, session.notBefore, session.notAfter - session.notBefore],
      [['spiffe://a/identity/b'], [], NOW, 12 * 3_600_000],
    );
  });

  test('no certificate outlives its issuer, and no two have a serial number', async () => {
    const short = await authority('short', { notAfter: NOW + 1000 });
    const from = await request();
    assert.equal((await issue(clientProfile(from, NOW), short, webRandom)).notAfter, NOW + 1000);
    await assert.rejects(issue(clientProfile(from, NOW + 120_000), short, webRandom), { name: 'TypeError', message: /has expired/ });
    const serials = await Promise.all(
      Array.from({ length: 20 }, async () => (await issue(clientProfile(from, NOW), root, webRandom)).parsed.serialNumber),
    );
    assert.equal(new Set(serials).size, 20);
    for (const serial of serials) assert.match(serial, /^[4-7][0-9a-f]{31}$/);
  });

  test('a signer that is only a function signs as well', async () => {
    const middle = await authority('middle', { by: root });
    const given = { certificates: middle.cert, anchors: root.cert };
    const inHand = await openSigner({ ...given, key: middle.key });
    const elsewhere = await openSigner({ ...given, key: middle.holder.sign });
    for (const signer of [inHand, elsewhere]) {
      const certificate = await issue(clientProfile(await request(), NOW), signer, webRandom);
      assert.ok(new X509Certificate(certificate.der).verify(new X509Certificate(middle.cert).publicKey));
      assert.deepEqual(
        signer.chain.map(({ commonName }) => commonName),
        ['middle'],
      );
      assert.equal(signer.trustDomain, root.certificate.fingerprint);
    }
    assert.deepEqual((await openSigner({ certificates: root.cert, anchors: root.cert, key: root.key })).chain, []);
  });

  for (const [algorithm, alg] of [
    [P256, 'ES256'],
    [{ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }, 'ES384'],
    [{ name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' }, 'ES512'],
    [{ name: 'Ed25519' }, 'EdDSA'],
    [rsa(2048), 'RS256'],
  ] as const)
    test(`a key for ${alg} signs certificates and tokens`, async () => {
      const { csr: pem, key } = await csr('CN=signer', { algorithm });
      const from = await readRequest(pem);
      assert.ok(from);
      const certificate = await issue({ ...clientProfile(from, NOW), keyUsage: KeyUsage.keyCertSign, pathLength: 0 }, root, webRandom);
      const cert = certificatesPem([certificate]);
      const signer = await openSigner({ certificates: cert, anchors: root.cert, key });
      const leaf = await issue(clientProfile(await request(), NOW), signer, webRandom);
      assert.ok(new X509Certificate(leaf.der).verify(new X509Certificate(cert).publicKey));
      const rules = { anchors: signer.anchors, intermediates: signer.chain, now: NOW, usage: Eku.clientAuth };
      assert.equal((await validateChain(leaf, rules)).chain?.length, 3);
      const token = await (await openNetworkKey({ key, cert })).sign({ sub: 'x' });
      const { protectedHeader } = await jwtVerify(token, new X509Certificate(cert).publicKey);
      assert.equal(protectedHeader.alg, alg);
    });

  test('a signer that does not fit together is refused with what is wrong', async () => {
    const other = await authority('other');
    const refused: readonly (readonly [Parameters<typeof openSigner>[0], RegExp])[] = [
      [{ certificates: root.cert, anchors: root.cert, key: other.key }, /not the one of the certificate/],
      [{ certificates: ann.cert, anchors: root.cert, key: ann.key }, /not that of an authority/],
      [{ certificates: other.cert, anchors: root.cert, key: other.key }, /no chain leads/],
      [
        { certificates: 'x', anchors: root.cert, key: root.key },
        /certificates must be certificates in PEM: it holds no block from -----BEGIN CERTIFICATE-----/,
      ],
      [
        { certificates: root.cert, anchors: root.cert, key: root.key.replaceAll('PRIVATE', 'EC PRIVATE') },
        /PKCS#8.*it holds a block of another type than PRIVATE KEY$/,
      ],
    ];
    for (const [options, message] of refused) await assert.rejects(openSigner(options), { name: 'TypeError', message });
  });

  test('a bundle holds its certificates and nothing else, in lines of 64', async () => {
    const text = await certsOnly([root.certificate, ann.certificate]);
    assert.ok(text.split('\n').every((line) => line.length <= 64));
    const { X509Certificates } = await x509();
    const read = new X509Certificates(Buffer.from(text, 'base64'));
    assert.deepEqual(
      Array.from(read, ({ subject }) => subject),
      ['CN=root', 'CN=ann'],
    );
  });

  test('the key of a server certificate signs tokens that its certificate verifies', async () => {
    const { kid, sign } = await openNetworkKey({ key: ann.key, cert: ann.cert + root.cert });
    const token = await sign({ sub: 'x', ctrls: null });
    const { payload, protectedHeader } = await jwtVerify(token, new X509Certificate(ann.cert).publicKey);
    assert.deepEqual(
      [payload, protectedHeader],
      [
        { sub: 'x', ctrls: null },
        { alg: 'ES256', kid: ann.certificate.fingerprint, typ: 'JWT' },
      ],
    );
    assert.equal(kid, ann.certificate.fingerprint);
    await assert.rejects(openNetworkKey({ key: root.key, cert: ann.cert }), TypeError);
  });
});
