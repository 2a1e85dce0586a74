import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { encodePng } from '../../../src/crypto/qr/png.ts';
import { encodeQrCode } from '../../../src/crypto/qr/qr-code.ts';

/** Reads a PNG as a viewer does: signature, chunks with their checksums, one bit a pixel. `true` is black. */
const read = (bytes: Uint8Array): readonly (readonly boolean[])[] => {
  const file = Buffer.from(bytes);
  assert.equal(file.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 4, at + 8 + length);
    assert.equal(file.readUInt32BE(at + 8 + length), crc32(body));
    chunks.push([body.subarray(0, 4).toString('latin1'), body.subarray(4)]);
  }
  assert.deepEqual(
    chunks.map(([type]) => type),
    ['IHDR', 'IDAT', 'IEND'],
  );
  const [header = Buffer.alloc(0), data = Buffer.alloc(0)] = chunks.map(([, body]) => body);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  assert.deepEqual([...header.subarray(8)], [1, 0, 0, 0, 0]);
  const lines = inflateSync(data);
  const lineLength = 1 + Math.ceil(width / 8);
  assert.equal(lines.length, height * lineLength);
  return Array.from({ length: height }, (_, y) => {
    const line = lines.subarray(y * lineLength, (y + 1) * lineLength);
    assert.equal(line[0], 0);
    return Array.from({ length: width }, (_, x) => (((line[1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0);
  });
};

const pictures = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }))
  .chain(([width, height]) =>
    fc.array(fc.array(fc.boolean(), { minLength: width, maxLength: width }), { minLength: height, maxLength: height }),
  );

test('a picture reads back as it was, enlarged', async () => {
  await fc.assert(
    fc.asyncProperty(pictures, fc.integer({ min: 1, max: 9 }), async (rows, scale) => {
      const enlarged = rows.flatMap((row) =>
        Array.from({ length: scale }, () => row.flatMap((pixel) => Array<boolean>(scale).fill(pixel))),
      );
      assert.deepEqual(read(await encodePng(rows, scale)), enlarged);
    }),
  );
});

const modulesOf = async (text: string): Promise<readonly string[]> =>
  read(await encodeQrCode(text))
    .filter((_, y) => y % 6 === 0)
    .map((row) =>
      row
        .filter((_, x) => x % 6 === 0)
        .map((pixel) => (pixel ? '#' : '.'))
        .join(''),
    );

test('a QR code has its quiet zone and its three finders, dark on light', async () => {
  const modules = await modulesOf('otpauth://totp/x:ann?issuer=x&secret=JBSWY3DPEHPK3PXP');
  const size = modules.length;
  assert.ok(modules.every((row) => row.length === size));
  const finder = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######'];
  for (const [x, y] of [
    [4, 4],
    [size - 11, 4],
    [4, size - 11],
  ] as const)
    assert.deepEqual(
      modules.slice(y, y + 7).map((row) => row.slice(x, x + 7)),
      finder,
    );
  const border = [...modules.slice(0, 4), ...modules.slice(-4), ...modules.map((row) => row.slice(0, 4) + row.slice(-4))];
  assert.ok(border.every((row) => !row.includes('#')));
});

test('the QR code of a known text is the one that ZXing and OpenCV were seen to read', async () => {
  const modules = await modulesOf('otpauth://totp/openziti.io:ann?issuer=openziti.io&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
  assert.equal(
    createHash('sha256').update(modules.join('\n')).digest('hex'),
    'd406a7861f770ac5a4c1e6135f06a1d67cc4f04dd3f6ad79bc89d9a3c5bce856',
  );
});

test('what is too long for a QR code is refused', async () => {
  assert.ok((await modulesOf('x'.repeat(2331))).length > 0);
  await assert.rejects(encodeQrCode('x'.repeat(2332)), RangeError);
});
