import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { newRoot, newServerCertificate, newSigner } from '../../../src/crypto/pki/authority.ts';
import { type Certificate, KeyUsage, readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { clientProfile, issue, serverProfile, sessionProfile } from '../../../src/crypto/pki/issue.ts';
import { readRequest } from '../../../src/crypto/pki/request.ts';
import { encodeCertsOnly, openSigner } from '../../../src/crypto/pki/signer.ts';
import { webRandom } from '../../../src/runtime/platform/web.ts';
import { certificateIn, csr, NOW, P256, rsa } from '../../support/pki.ts';
import { type DerElement, strictDer } from '../../support/strict-der.ts';
import { ann, root } from './parties.ts';

const SIGNED_DATA = '2a864886f70d010702';
const DATA = '2a864886f70d010701';
const KEY_USAGE = '551d0f';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * The certificates in a message, as parsers read them that know no optional fields (such as that of the C SDK on mbedTLS).
 * @throws unless it is DER
 */
const certificatesByPosition = (text: string): readonly DerElement[] => {
  const { tag, children, contents } = strictDer(Buffer.from(text, 'base64'));
  const [type, content] = children;
  assert.deepEqual([tag, children.length, hex(type?.contents ?? contents), content?.tag], [0x30, 2, SIGNED_DATA, 0xa0]);
  const [version, algorithms, encapsulated, certificates, signers, ...rest] = content?.children[0]?.children ?? [];
  assert.deepEqual(
    [version, algorithms, encapsulated, signers].map((one) => hex(one?.bytes ?? contents)),
    ['020101', '3100', `300b0609${DATA}`, '3100'],
  );
  assert.deepEqual([certificates?.tag, rest], [0xa0, []]);
  return certificates?.children ?? [];
};

describe('the DER that devices read', () => {
  test('the bundle of authorities is a certificates-only message without content (RFC 5652, 5.2), with the newest authority first', async () => {
    const more = await Promise.all([certificateIn(rsa(2048)), certificateIn({ name: 'Ed25519' }), certificateIn(P256)]);
    const others = (await readCertificates(more.map(({ cert }) => cert).join(''))).value ?? [];
    for (const bundle of [[root.certificate], [ann.certificate, root.certificate], [root.certificate, ann.certificate, ...others]]) {
      const found = certificatesByPosition(encodeCertsOnly(bundle));
      assert.deepEqual(
        found.map(({ bytes }) => hex(bytes)),
        bundle.map(({ der }) => hex(der)),
      );
    }
    const { certsOnly: ofSigner } = await openSigner({ certificates: root.cert, anchors: root.cert, key: root.key });
    assert.equal(certificatesByPosition(ofSigner).length, 1);
  });

  test('a second parser finds no content in it, but all certificates', () => {
    const info = AsnConvert.parse(Buffer.from(encodeCertsOnly([root.certificate, ann.certificate]), 'base64'), ContentInfo);
    const { encapContentInfo, certificates, signerInfos } = AsnConvert.parse(info.content, SignedData);
    assert.deepEqual([encapContentInfo.eContent, certificates?.length, signerInfos.length], [undefined, 2, 0]);
  });

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  test('OpenSSL reads it, as PKCS#7 and as CMS', { skip: !hasOpenssl && 'openssl is not installed' }, () => {
    const input = Buffer.from(encodeCertsOnly([root.certificate, ann.certificate]), 'base64');
    const asked = (...args: string[]) => spawnSync('openssl', args, { input, encoding: 'utf8' }).stdout;
    assert.deepEqual(
      asked('pkcs7', '-inform', 'DER', '-print_certs', '-noout')
        .match(/(?<=subject=).*/g)
        ?.toSorted(),
      ['CN = ann', 'CN = root'],
    );
    assert.match(asked('cms', '-cmsout', '-print', '-noout', '-inform', 'DER'), /eContent: <ABSENT>/);
  });

  test('certificates of every profile and key are DER, default values are left out, and flags have no trailing zeros', async () => {
    for (const algorithm of [P256, { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' }, { name: 'Ed25519' }, rsa(2048)]) {
      const request = await readRequest((await csr('OU=a+CN=Jürgen 漢, O=us, E=a@example.org', { algorithm })).csr);
      assert.ok(request);
      const names = { dnsNames: ['*.example.org'], ipAddresses: ['::1', '10.0.0.1'], uris: ['spiffe://a/b'] };
      for (const profile of [clientProfile(request, NOW), serverProfile(request, NOW, names), sessionProfile(request, NOW, 'spiffe://a/b')])
        assertStrict(await issue(profile, root, webRandom));
      assertStrict(await issue({ ...clientProfile(request, NOW), keyUsage: KeyUsage.keyCertSign, pathLength: 0 }, root, webRandom));
    }
    const own = await newRoot();
    for (const { cert } of [own, await newSigner(own), await newServerCertificate(own, ['127.0.0.1', 'a.example'])])
      for (const certificate of (await readCertificates(cert)).value ?? []) assertStrict(certificate);
  });

  test('signatures are DER whatever zeros their numbers begin with', async () => {
    const request = await readRequest((await csr('CN=ann')).csr);
    assert.ok(request);
    for (let i = 0; i < 100; i++) assertStrict(await issue(clientProfile(request, NOW), root, webRandom));
  });
});

const assertStrict = ({ der }: Certificate): void => {
  const [body, algorithm, signature] = strictDer(der).children;
  assert.ok(body && algorithm && signature);
  const oid = hex(algorithm.children[0]?.contents ?? der);
  if (oid.startsWith('2a8648ce3d04')) strictDer(signature.contents.subarray(1)); // ECDSA: two numbers
  const extensions = body.children.at(-1)?.children[0]?.children ?? [];
  assert.ok(extensions.length > 0);
  for (const { children } of extensions) {
    const [id, ...rest] = children;
    const value = strictDer(rest.at(-1)?.contents ?? der);
    if (rest.length === 2) assert.equal(hex(rest[0]?.contents ?? der), 'ff'); // false is the default
    if (hex(id?.contents ?? der) !== KEY_USAGE) continue;
    const [unused = 0, ...flags] = value.contents;
    assert.equal(((flags.at(-1) ?? 0) >> unused) & 1, 1, 'the last flag is set');
  }
};
