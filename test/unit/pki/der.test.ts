import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bitLength, countElements, rsaBitsOf, spkiOf } from '../../../src/pki/der.ts';
import { party } from '../../support/pki.ts';

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

  test('lengths of one to three bytes are read, longer and endless ones are no DER', () => {
    for (const bytes of [1, 2, 3]) assert.equal(count(element(0x30, NULL, bytes)), 2, `${bytes}`);
    assert.equal(count(element(0x30, NULL, 4)), Infinity);
    assert.equal(count([0x30, 0x80, ...NULL, 0, 0]), Infinity);
  });

  test('what is cut off, or says that it is longer than it is, is no DER', () => {
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
