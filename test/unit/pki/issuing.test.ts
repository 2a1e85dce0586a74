import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { jwtVerify } from 'jose';
import { certificatesPem, Eku, KeyUsage } from '../../../src/crypto/pki/certificate.ts';
import { validateChain } from '../../../src/crypto/pki/chain.ts';
import { clientProfile, issue, serverProfile, sessionProfile } from '../../../src/crypto/pki/issue.ts';
import { openNetworkKey } from '../../../src/crypto/pki/network-key.ts';
import { readRequest } from '../../../src/crypto/pki/request.ts';
import { encodeCertsOnly, openSigner } from '../../../src/crypto/pki/signer.ts';
import { x509 } from '../../../src/crypto/pki/x509.ts';
import { webRandom } from '../../../src/runtime/platform/web.ts';
import { authority, csr, NAME_CONSTRAINTS, NOW, P256, rootWith, rsa } from '../../support/pki.ts';
import { ann, root } from './parties.ts';

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
    const constrained = await rootWith({ ...NAME_CONSTRAINTS, isCritical: true });
    const refused: readonly (readonly [Parameters<typeof openSigner>[0], RegExp])[] = [
      [{ certificates: constrained.cert, anchors: constrained.cert, key: constrained.key }, /has critical name constraints/],
      [{ certificates: root.cert, anchors: root.cert, key: other.key }, /does not match the certificate/],
      [{ certificates: ann.cert, anchors: root.cert, key: ann.key }, /not that of an authority/],
      [{ certificates: other.cert, anchors: root.cert, key: other.key }, /no chain leads/],
      [
        { certificates: 'x', anchors: root.cert, key: root.key },
        /certificates must be certificates in PEM: it contains no block from -----BEGIN CERTIFICATE-----/,
      ],
      [
        { certificates: root.cert, anchors: root.cert, key: root.key.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE') },
        /PKCS#8.*it contains a block of another type than PRIVATE KEY$/,
      ],
    ];
    for (const [options, message] of refused) await assert.rejects(openSigner(options), { name: 'TypeError', message });
  });

  test('a bundle holds its certificates and nothing else, in lines of 64', async () => {
    const text = encodeCertsOnly([root.certificate, ann.certificate]);
    assert.ok(text.split('\n').every((line) => line.length <= 64));
    const { X509Certificates } = await x509();
    const read = new X509Certificates(Buffer.from(text, 'base64'));
    assert.deepEqual(Array.from(read, ({ subject }) => subject).toSorted(), ['CN=ann', 'CN=root']);
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
