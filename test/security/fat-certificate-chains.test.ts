import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_CHAIN, MAX_ELEMENTS, readCertificates } from '../../src/crypto/pki/certificate.ts';
import { countElements } from '../../src/crypto/pki/der.ts';
import { writePem } from '../../src/crypto/pki/pem.ts';
import { MAX_CHAIN_BYTES, readPresented } from '../../src/crypto/pki/presented.ts';
import { readRequest } from '../../src/crypto/pki/request.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody } from '../support/certificates.ts';
import { authority, csr, type Party, party } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const dersOf = (parties: readonly Party[]) => parties.map(({ certificate }) => certificate.der);
/** A DER of so many elements: a sequence of nothing. */
const elements = (count: number) => {
  const length = (count - 1) * 2;
  return new Uint8Array([0x30, 0x82, length >> 8, length & 0xff, ...new Array(count - 1).fill([0x05, 0x00]).flat()]);
};
/** Bytes that are nothing. */
const junk = (length: number) => new Uint8Array(length).fill(0xff);
const names = (count: number) => ({ names: { dnsNames: new Array<string>(count).fill('a') } });

describe('what a presented chain may hold', () => {
  test('elements are counted where they are nested, in octet strings too, and only in what is a DER', () => {
    assert.equal(countElements(elements(7), 100), 7);
    assert.equal(countElements(new Uint8Array([0x30, 6, 0x04, 4, 0x30, 2, 0x05, 0]), 100), 4);
    assert.equal(countElements(new Uint8Array([0x30, 4, 0x04, 2, 0x30, 9]), 100), 2, 'an octet string may hold anything');
    assert.equal(countElements(new Uint8Array([0x30, 5, 0xbf, 0x81, 0x01, 1, 0]), 100), Number.POSITIVE_INFINITY);
    assert.equal(countElements(new Uint8Array([0x30, 4, 0x9f, 0x81, 0x01, 0]), 100), 2, 'tags of several bytes');
    for (const none of [[0x30, 0x80, 0, 0], [0x30, 5, 0], [0x30], [0x30, 2, 0x05, 9], [0x30, 0x84, 0, 0, 0, 0]])
      assert.equal(countElements(new Uint8Array(none), 100), Number.POSITIVE_INFINITY, none.join());
    assert.equal(countElements(new Uint8Array(new Array(200).fill([0x30, 0x80]).flat()), 100), Number.POSITIVE_INFINITY);
    assert.ok(countElements(elements(4000), 100) <= 102, 'it stops once there are more than may be');
  });

  test('up to eleven certificates, 32 KiB and a thousand elements are looked at, and no more', async () => {
    const { der } = (await party('ann')).certificate;
    const own = countElements(der, MAX_ELEMENTS);
    const leafOf = async (...others: readonly Uint8Array[]) => (await readPresented([der, ...others]))?.leaf.commonName;
    assert.equal(await leafOf(...new Array(MAX_CHAIN).fill(junk(1))), 'ann');
    assert.equal(await leafOf(...new Array(MAX_CHAIN + 1).fill(junk(1))), undefined);
    assert.equal(await leafOf(junk(MAX_CHAIN_BYTES - der.length)), 'ann');
    assert.equal(await leafOf(junk(MAX_CHAIN_BYTES - der.length + 1)), undefined);
    assert.equal(await leafOf(elements(MAX_ELEMENTS - own)), 'ann');
    assert.equal(await leafOf(elements(MAX_ELEMENTS - own + 1)), undefined);
    assert.equal(await leafOf(new Uint8Array([0x30, 0x80]), new Uint8Array()), 'ann', 'what is no certificate does not matter');
    assert.equal(await readPresented([]), undefined);
    assert.equal(await readPresented([new Uint8Array([1])]), undefined);
  });

  test('the same bytes are read once, on whatever connection they come; those above the leaf when they are asked for', async () => {
    const root = await authority('root');
    const ders = dersOf([await party('ann', { by: root }), root]);
    const first = await readPresented(ders);
    const again = await readPresented(ders.map((der) => der.slice()));
    assert.ok(first && again === first);
    assert.equal(await first.others(), await again.others());
    assert.notEqual(await readPresented(ders.slice(0, 1)), first);
    assert.notEqual(await readPresented(ders.toReversed()), first);
    const [rootDer] = dersOf([root]);
    const other = await readPresented([...dersOf([await party('bob', { by: root })]), ...(rootDer ? [rootDer.slice()] : [])]);
    assert.equal((await other?.others())?.[0], (await first.others())[0], 'an authority is read once for all that present it');
  });

  test('a certificate or a request with thousands of names is not read', async () => {
    const { der } = (await party('ann', names(200))).certificate;
    assert.ok(countElements(der, MAX_ELEMENTS) < MAX_ELEMENTS);
    await assert.rejects(party('ann', names(1000)), /cannot be parsed/);
    assert.ok(await readRequest((await csr('CN=ann', { dnsNames: new Array(800).fill('a') })).csr));
    assert.equal(await readRequest((await csr('CN=ann', { dnsNames: new Array(1000).fill('a') })).csr), undefined);
    const text = writePem('CERTIFICATE', der).repeat(10);
    assert.deepEqual(await readCertificates(text), { fault: 'tooLarge' });
    assert.equal((await readCertificates(text, 100)).value?.length, 10);
  });
});

/** Milliseconds of processor time of a request, on average of a few. */
const costOf = async (request: () => Promise<unknown>): Promise<number> => {
  const rounds = 20;
  await request();
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await request();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
};

const logIn = (app: App, certificates: readonly Uint8Array[]) =>
  app.request('POST', '/authenticate?method=cert', { as: null, body: {}, certificates });

onEveryStore('fat chains of client certificates', (open) => {
  test('a request with the worst chain that is read costs little more than one with a small one, and beyond the bounds it is refused unread', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    // Each of the others has the name of the authority, so that each may be the issuer.
    const others = await Promise.all(Array.from({ length: MAX_CHAIN }, () => authority(own.name, names(20))));
    const small = dersOf([await party('ann')]);
    const worst = dersOf([await party('ann', { by: others[0] as Party, ...names(60) }), ...others]);
    assert.ok(await readPresented(worst));
    const beyond = [...small, elements(8000), elements(8000)];
    const refused = async (certificates: readonly Uint8Array[]) => assertRefused(await logIn(app, certificates), 401, 'INVALID_AUTH');
    const [least, most, none] = [
      await costOf(() => refused(small)),
      await costOf(() => refused(worst)),
      await costOf(() => refused(beyond)),
    ];
    // Reading it takes ten times as much, and did so at every request.
    assert.ok(most < least + 10, `${most} ms for the worst chain, ${least} ms for a small one`);
    assert.ok(none < least + 10, `${none} ms for what is refused, ${least} ms for a small chain`);
  });

  test('a client that presents too much gets the answer of any failed login, and other requests are still served', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const ann = (await own.issue('ann')).certificate.der;
    assert.equal((await logIn(app, [ann])).status, 200);
    const fat = [ann, elements(1000)];
    assertRefused(await logIn(app, fat), 401, 'INVALID_AUTH');
    assertRefused(
      await app.request('POST', '/edge/client/v1/enroll/ca', { as: null, body: {}, certificates: fat }),
      400,
      'CERT_FAILED_VALIDATION',
    );
    assert.equal((await app.request('GET', '/identities', { certificates: fat })).status, 200);
  });

  test('an authority with thousands of names is refused when it is uploaded', async () => {
    await using app = await open();
    const { der } = (await authority('fat', names(200))).certificate;
    assertInvalid(await app.request('POST', '/cas', { body: caBody('fat', writePem('CERTIFICATE', der).repeat(10)) }), 'certPem');
    assertInvalid(await app.request('POST', '/cas', { body: caBody('fat', writePem('CERTIFICATE', elements(2000))) }), 'certPem');
  });
});
