import assert from 'node:assert/strict';
import { generateKeyPair as generateKeyPairWith } from 'node:crypto';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { bitLength, countElements, elementsIn, notAfterIn, rsaBitsOf, spkiOf } from '../../../src/crypto/pki/der.ts';
import { writePem } from '../../../src/crypto/pki/pem.ts';
import { toPkcs8 } from '../../../src/crypto/pki/private-key.ts';
import { party } from '../../support/pki.ts';

const generateKeyPair = promisify(generateKeyPairWith);

/** An element: a tag, its length in as many bytes as said (0: in the short form), its contents. */
const element = (tag: number | readonly number[], contents: readonly number[], lengthBytes = 0): readonly number[] => {
  const bytes = Array.from({ length: lengthBytes }, (_, i) => (contents.length >> (8 * (lengthBytes - 1 - i))) & 0xff);
  return [...[tag].flat(), ...(lengthBytes ? [0x80 + lengthBytes, ...bytes] : [contents.length]), ...contents];
};
const count = (bytes: readonly number[], most = 1000) => countElements(Uint8Array.from(bytes), most);
const NULL = [0x05, 0x00];
const nested = (depth: number): readonly number[] => {
  let inner: readonly number[] = NULL;
  for (let i = 0; i < depth; i++) inner = element(0x30, inner, inner.length < 128 ? 0 : 2);
  return inner;
};

describe('how many elements a DER has', () => {
  test('all of them, at every depth, and those in octet strings', () => {
    assert.equal(count(NULL), 1);
    assert.equal(count([...NULL, ...NULL]), 2);
    assert.equal(count(element(0x30, [...NULL, ...NULL])), 3);
    assert.equal(count(element(0x04, element(0x30, NULL))), 3);
    assert.equal(count([]), 0);
  });

  test('tags above 30 take more bytes', () => {
    assert.equal(count(element([0x5f, 0x81, 0x01], [7])), 1);
    assert.equal(count([...element([0x7f, 0x21], NULL), ...NULL]), 3);
  });

  test('lengths of one to three bytes are read, longer and endless ones are not DER', () => {
    for (const bytes of [1, 2, 3]) assert.equal(count(element(0x30, NULL, bytes)), 2, `${bytes}`);
    assert.equal(count(element(0x30, NULL, 4)), Infinity);
    assert.equal(count([0x30, 0x80, ...NULL, 0, 0]), Infinity);
  });

  test('bytes that are cut off, or say that they are longer than they are, are not DER', () => {
    for (const bytes of [[0x05], [0x30, 0x01], [0x30, 0x82, 0x01], [0x30, 0x03, ...NULL], [0x5f, 0x81]])
      assert.equal(count(bytes), Infinity, `${bytes}`);
    assert.equal(count(element(0x30, [0x30, 0x05])), Infinity);
  });

  test('nothing is nested deeper than 32 levels below the first', () => {
    assert.equal(count(nested(32)), 33);
    assert.equal(count(nested(33)), Infinity);
  });

  test('counting stops after one more than asked', () => {
    const many = Array.from({ length: 50 }, () => NULL).flat();
    assert.equal(count(many, 50), 50);
    assert.equal(count(many, 49), 50);
    assert.equal(count(many, 3), 4);
  });
});

test('the bits of a number are counted from the highest that is set', () => {
  for (const [bytes, bits] of [
    [[], 0],
    [[0, 0], 0],
    [[1], 1],
    [[0x80], 8],
    [[0, 0x80, 0], 16],
    [[1, 0], 9],
    [[0x7f, 0xff], 15],
  ] as const)
    assert.equal(bitLength(Uint8Array.from(bytes)), bits, `${bytes}`);
});

test('the numbers of an RSA key are found behind the name of the algorithm; another key has none', () => {
  const key = element(0x30, [...element(0x02, [0, 0xff, 1]), ...element(0x02, [1, 0, 1])]);
  const spki = element(0x30, [...element(0x30, NULL), ...element(0x03, [0, ...key])]);
  assert.deepEqual(rsaBitsOf(Uint8Array.from(spki)), { modulus: 16, exponent: 17 });
  assert.equal(rsaBitsOf(Uint8Array.from(element(0x30, element(0x30, NULL)))), undefined);
  assert.equal(rsaBitsOf(new Uint8Array()), undefined);
});

describe('the key of a certificate', () => {
  test('is where the certificate says, and nowhere in what is cut off', async () => {
    const { der, parsed } = (await party('any', { names: { dnsNames: ['a.example.org'] } })).certificate;
    assert.deepEqual(Buffer.from(spkiOf(der) ?? []), Buffer.from(parsed.publicKey.rawData));
    for (let length = 0; length < der.length; length += 5) assert.equal(spkiOf(der.subarray(0, length)), undefined);
  });

  test('is there in a certificate of version 1, which does not state its version', () => {
    const key = element(0x30, NULL);
    const fields = [element(2, [1]), ...Array.from({ length: 4 }, () => element(0x30, []))].flat();
    const certificate = (body: readonly number[]) => Uint8Array.from(element(0x30, element(0x30, body)));
    assert.deepEqual(spkiOf(certificate([...fields, ...key])), Uint8Array.from(key));
    assert.equal(spkiOf(certificate(fields)), undefined);
    assert.equal(spkiOf(certificate([...fields, ...NULL])), undefined);
  });
});

/** Bytes with one to four changes: another byte, a bit, a part that is cut out or doubled, an end that is cut off. */
const mutated = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> => {
  const change = fc.record({
    at: fc.nat(bytes.length - 1),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x1f, 0x30, 0x7f, 0x80, 0x83, 0x84, 0xff)),
  });
  const length = fc.nat(40);
  const step: fc.Arbitrary<(from: readonly number[]) => readonly number[]> = fc.oneof(
    change.map(
      ({ at, byte }) =>
        (from: readonly number[]) =>
          from.with(Math.min(at, from.length - 1), byte),
    ),
    fc.tuple(change, length).map(
      ([{ at }, size]) =>
        (from: readonly number[]) =>
          from.toSpliced(at, size),
    ),
    fc.tuple(change, length).map(
      ([{ at }, size]) =>
        (from: readonly number[]) =>
          from.toSpliced(at, 0, ...from.slice(at, at + size)),
    ),
    change.map(
      ({ at }) =>
        (from: readonly number[]) =>
          from.slice(0, at + 1),
    ),
  );
  return fc
    .array(step, { minLength: 1, maxLength: 4 })
    .map((steps) =>
      Uint8Array.from(steps.reduce((from, apply) => (from.length === 0 ? from : apply(from)), [...bytes] as readonly number[])),
    );
};

describe('whatever becomes of a DER, it is read, or it is none', () => {
  const RUNS = Number(process.env.DER_MUTATIONS ?? 1000);

  /** Every reader ends with a value, or with undefined, within the bytes. */
  const read = (der: Uint8Array): void => {
    const elements = countElements(der, 10_000);
    assert.ok(elements === Number.POSITIVE_INFINITY || elements <= 10_001);
    for (const part of [spkiOf(der), ...(elementsIn(der) ?? []).map(({ contents }) => contents)])
      assert.ok(!part || part.length <= der.length);
    const end = notAfterIn(der);
    assert.ok(end === undefined || Number.isFinite(end), `${end}`);
    const bits = rsaBitsOf(der);
    assert.ok(!bits || (bits.modulus >= 0 && bits.modulus <= 8 * der.length && bits.exponent <= 8 * der.length));
  };

  test('certificates and their keys', async () => {
    const { der } = (await party('any', { names: { dnsNames: ['a.example.org'] } })).certificate;
    fc.assert(fc.property(mutated(der), read), { numRuns: RUNS });
    const { publicKey } = await generateKeyPair('rsa', { modulusLength: 1024 });
    fc.assert(fc.property(mutated(publicKey.export({ type: 'spki', format: 'der' })), read), { numRuns: RUNS });
  });

  test('private keys become PKCS#8, or are refused in a sentence that does not repeat them', async () => {
    const [rsa, ec] = [await generateKeyPair('rsa', { modulusLength: 1024 }), await generateKeyPair('ec', { namedCurve: 'P-256' })];
    const keys = [
      ['RSA PRIVATE KEY', rsa.privateKey.export({ type: 'pkcs1', format: 'der' })],
      ['EC PRIVATE KEY', ec.privateKey.export({ type: 'sec1', format: 'der' })],
      ['PRIVATE KEY', ec.privateKey.export({ type: 'pkcs8', format: 'der' })],
    ] as const;
    for (const [label, der] of keys)
      fc.assert(
        fc.property(mutated(der), (bytes) => {
          try {
            assert.match(toPkcs8(writePem(label, bytes)), /^-----BEGIN PRIVATE KEY-----/);
          } catch (error) {
            assert.ok(error instanceof TypeError, String(error));
            assert.match(error.message, /^the private key must be a single unencrypted PEM block/);
            assert.ok(error.message.length < 500);
          }
        }),
        { numRuns: RUNS },
      );
  });

  test('a certificate ends at its time in both forms, and has none in another form', () => {
    const ending = (tag: number, text: string): number | undefined => {
      const time = element(tag, [...Buffer.from(text)]);
      const fields = [
        element(2, [1]),
        element(0x30, []),
        element(0x30, []),
        element(0x30, [...element(0x17, [...Buffer.from('700101000000Z')]), ...time]),
      ];
      return notAfterIn(Uint8Array.from(element(0x30, element(0x30, fields.flat()))));
    };
    assert.equal(ending(0x17, '491231235959Z'), Date.UTC(2049, 11, 31, 23, 59, 59));
    assert.equal(ending(0x17, '500101000000Z'), Date.UTC(1950, 0, 1));
    assert.equal(ending(0x18, '20500101000000Z'), Date.UTC(2050, 0, 1));
    assert.equal(ending(0x18, '99991231235959Z'), Date.UTC(9999, 11, 31, 23, 59, 59));
    for (const text of ['', '4912312359Z', '491231235959', '4912312359590Z', 'abcdefghijklZ']) assert.equal(ending(0x17, text), undefined);
    assert.equal(ending(0x18, '491231235959Z'), undefined);
  });
});
