import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, type Frame } from '../../../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { Malformed } from '../../../src/fabric/control-channel/malformed.ts';
import { fromHex, hexOf, toHex, vectors } from '../../support/control-channel/recorded.ts';

const LIMITS = { headers: 4096, body: 16_384 };

const readAll = (...parts: readonly Uint8Array[]): readonly Frame[] => {
  const reader = createFrameReader(LIMITS);
  return parts.flatMap((part) => [...reader.read(part)]);
};

const frame = (fields: Partial<Frame> = {}): Frame => ({
  contentType: 1035,
  sequence: 7,
  headers: new Map([[5, Uint8Array.of(1, 2, 3)]]),
  body: Uint8Array.of(9, 8),
  ...fields,
});

/** The bytes of a frame, changed at some places. */
const changed = (bytes: Uint8Array, places: Readonly<Record<number, number>>): Uint8Array => {
  const other = bytes.slice();
  for (const [at, byte] of Object.entries(places)) other[Number(at)] = byte;
  return other;
};

const anyFrame = fc.record({
  contentType: fc.integer(),
  sequence: fc.integer(),
  headers: fc
    .dictionary(fc.integer().map(String), fc.uint8Array({ maxLength: 40 }), { maxKeys: 6 })
    .map((entries): ReadonlyMap<number, Uint8Array> => new Map(Object.entries(entries).map(([key, value]) => [Number(key), value]))),
  body: fc.uint8Array({ maxLength: 300 }),
});

describe('frames', () => {
  test('those of the vectors are read and written as they are', () => {
    for (const { what, hex, value } of vectors.filter(({ what }) => what.startsWith('whole frame'))) {
      const [read, ...others] = readAll(fromHex(hex));
      assert.ok(read && others.length === 0, what);
      assert.equal(toHex(encodeFrame(read)), hex, what);
      // The form that vectors of whole frames have.
      const {
        contentType,
        sequence,
        replyFor,
        body,
        headers = {},
      } = value as {
        readonly contentType?: number;
        readonly sequence?: number;
        readonly replyFor?: number;
        readonly body?: string;
        readonly headers?: Readonly<Record<string, string | { readonly hex: string }>>;
      };
      if (contentType !== undefined) assert.deepEqual([read.contentType, read.sequence], [contentType, sequence]);
      if (replyFor !== undefined) assert.equal(header.replyFor.in(read), replyFor);
      if (body !== undefined) assert.equal(Buffer.from(read.body).toString(), body);
      for (const [key, said] of Object.entries(headers)) assert.equal(hexOf(read.headers)[key], typeof said === 'string' ? said : said.hex);
    }
  });

  test('whatever they hold, and however they are split, they come as they went', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (frames, sizes) => {
        const stream = Buffer.concat(frames.map(encodeFrame));
        const parts: Uint8Array[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          parts.push(stream.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(
          readAll(...parts).map((one) => toHex(encodeFrame(one))),
          frames.map((one) => toHex(encodeFrame(one))),
        );
      }),
    );
  });

  test('what begins otherwise is refused with its first wrong byte', () => {
    const bytes = encodeFrame(frame());
    for (const at of [0, 1, 2, 3])
      assert.throws(() => readAll(changed(bytes, { [at]: 0xff }).subarray(0, at + 1)), Malformed, `byte ${at}`);
    assert.throws(() => readAll(Buffer.from('GET / HTTP/1.1\r\n')), /the bytes received are not a frame/);
  });

  test('lengths beyond the limits are refused before anything more is read', () => {
    const prefix = encodeFrame(frame()).subarray(0, 20);
    assert.throws(() => readAll(changed(prefix, { 14: 1 })), /type 1035 has 65547 bytes of headers/);
    assert.throws(() => readAll(changed(prefix, { 19: 0xff })), /type 1035 has a body of 4278190082 bytes/);
  });

  test('a header that is cut off, too long, or comes twice is refused', () => {
    const bytes = encodeFrame(frame());
    assert.throws(() => readAll(changed(bytes, { 24: 4 })), /header 5 is longer than the headers/);
    assert.throws(() => readAll(changed(bytes, { 24: 0xff, 27: 0xff })), /header 5 is longer than the headers/);
    assert.throws(() => readAll(changed(bytes, { 12: 7 })), /a header is cut off/);
    const [one = new Uint8Array()] = [bytes.subarray(20, 31)];
    const twice = Uint8Array.from([...changed(bytes.subarray(0, 20), { 12: 22 }), ...one, ...one, 9, 8]);
    assert.throws(() => readAll(twice), /header 5 occurs twice/);
    const many = new Map(Array.from({ length: 257 }, (_, key) => [key, new Uint8Array()]));
    assert.throws(() => readAll(encodeFrame(frame({ headers: many }))), /more than 256 headers/);
  });

  test('nothing that comes makes the reader fail otherwise', () => {
    const marked = fc.uint8Array({ maxLength: 60 }).map((rest) => Uint8Array.from([3, 6, 9, 12, ...rest]));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), marked), (bytes) => {
        try {
          readAll(bytes);
        } catch (error) {
          assert.ok(error instanceof Malformed);
        }
      }),
    );
  });

  // With a step for each part that has come before, this would not end.
  test('a large one may come byte by byte', () => {
    const body = Uint8Array.from({ length: 500_000 }, (_, i) => i);
    const bytes = encodeFrame(frame({ body }));
    const reader = createFrameReader({ ...LIMITS, body: body.length });
    const frames: Frame[] = [];
    for (let at = 0; at < bytes.length; at++) frames.push(...reader.read(bytes.subarray(at, at + 1)));
    assert.deepEqual(
      frames.map((one) => Buffer.compare(one.body, body)),
      [0],
    );
  });
});
