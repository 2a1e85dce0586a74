import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { answerHeaders, circuitHeader, earlierHelloHeader, header, headersOf } from '../../../src/fabric/control-channel/header-fields.ts';
import { type HeaderForm, headerForm } from '../../../src/fabric/control-channel/header-value.ts';
import { Malformed } from '../../../src/fabric/control-channel/malformed.ts';
import { fromHex, toHex, vectors } from '../../support/control-channel/recorded.ts';

const vector = (beginning: string) => {
  const found = vectors.filter(({ what }) => what.startsWith(beginning));
  assert.ok(found.length > 0, beginning);
  return found;
};

const comes = <T>(form: HeaderForm<T>, value: T): void => assert.deepEqual(form.read(form.write(value)), value);

describe('values of headers', () => {
  test('lists and maps are those of the vectors', () => {
    for (const { hex, value } of vector('string list')) {
      assert.deepEqual(headerForm.texts.read(fromHex(hex)), value);
      assert.equal(toHex(headerForm.texts.write(headerForm.texts.read(fromHex(hex)))), hex);
    }
    for (const { hex, value } of vector('uint32->bytes')) {
      const read = headerForm.bytesByNumber.read(fromHex(hex));
      assert.deepEqual(Object.fromEntries([...read].map(([key, bytes]) => [key, toHex(bytes)])), value);
      assert.equal(toHex(headerForm.bytesByNumber.write(read)), hex);
    }
    for (const { hex, value } of vector('string->string')) {
      const read = headerForm.textByText.read(fromHex(hex));
      assert.deepEqual(Object.fromEntries(read), value);
      assert.equal(toHex(headerForm.textByText.write(read)), hex);
    }
  });

  test('each form gives back what it was given', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (value) => comes(headerForm.text, value)));
    fc.assert(fc.property(fc.boolean(), (value) => comes(headerForm.bool, value)));
    fc.assert(fc.property(fc.integer({ min: 0, max: 255 }), (value) => comes(headerForm.byte, value)));
    fc.assert(fc.property(fc.integer(), (value) => comes(headerForm.int32, value)));
    fc.assert(fc.property(fc.nat({ max: 0xffffffff }), (value) => comes(headerForm.uint32, value)));
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => comes(headerForm.uint64, value)));
    fc.assert(fc.property(fc.array(fc.string(), { maxLength: 128 }), (value) => comes(headerForm.texts, value)));
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 200 })), (value) =>
        comes(
          headerForm.bits,
          value.toSorted((a, b) => a - b),
        ),
      ),
    );
  });

  test('what a controller can do is the byte of the vectors', () => {
    assert.equal(toHex(headerForm.bits.write([1, 2, 3, 4])), '1e');
    assert.equal(toHex(headerForm.bits.write([1, 2, 3])), '0e');
    assert.equal(toHex(headerForm.bits.write([8])), '0100');
    assert.equal(toHex(headerForm.bits.write([])), '');
  });

  test('an empty list or map has no bytes', () => {
    assert.equal(headerForm.texts.write([]).length, 0);
    assert.equal(headerForm.bytesByNumber.write(new Map()).length, 0);
    assert.equal(headerForm.textByText.write(new Map()).length, 0);
    assert.deepEqual(headerForm.texts.read(new Uint8Array()), []);
  });

  test('a list is refused that is cut off, continues after its end, or has more or longer entries than allowed', () => {
    const bytes = headerForm.texts.write(['one', 'two']);
    for (let length = 1; length < bytes.length; length++)
      assert.throws(() => headerForm.texts.read(bytes.subarray(0, length)), Malformed, `${length} bytes`);
    assert.throws(() => headerForm.texts.read(Uint8Array.from([...bytes, 0])), /followed by other bytes/);
    assert.throws(() => headerForm.texts.read(headerForm.uint32.write(129)), /129 entries/);
    assert.throws(() => headerForm.texts.read(headerForm.uint32.write(0xffffffff)), /4294967295 entries/);
    assert.throws(() => headerForm.texts.read(headerForm.texts.write(['x'.repeat(8193)])), /an entry of a header has 8193 bytes/);
  });

  test('numbers of another size, and texts that are not UTF-8, are refused', () => {
    for (const form of [headerForm.bool, headerForm.byte, headerForm.int32, headerForm.uint32, headerForm.uint64])
      assert.throws(() => form.read(new Uint8Array(3)), Malformed);
    assert.throws(() => headerForm.text.read(Uint8Array.of(0xff)), /not UTF-8/);
  });
});

describe('headers', () => {
  const request = {
    contentType: 1,
    sequence: 41,
    headers: headersOf([header.version.of('v'), [128, Uint8Array.of(1)], [255, Uint8Array.of(2)], [256, Uint8Array.of(3)]]),
    body: new Uint8Array(),
  };

  test('an answer names its request, and has the headers from 128 to 255 of it', () => {
    const answer = { headers: headersOf(answerHeaders(request)) };
    assert.equal(header.replyFor.in(answer), 41);
    assert.deepEqual([...answer.headers.keys()], [1, 128, 255]);
  });

  test('one that is missing is undefined, or refused where it is required', () => {
    assert.equal(circuitHeader.sessionToken.in(request), undefined);
    assert.throws(() => circuitHeader.sessionToken.required(request), /header 11 is missing/);
    assert.equal(header.version.required(request), 'v');
    assert.equal(earlierHelloHeader.capabilities.key, 12);
  });
});
