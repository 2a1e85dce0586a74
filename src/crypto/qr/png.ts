/**
 * Black-and-white images as PNG (W3C "Portable Network Graphics", third edition): one bit per pixel, no filters, one data chunk.
 */
import { crc32 } from '../../contract/wire/crc32.ts';

const SIGNATURE = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
/** One bit per pixel, grayscale: 0 is black and 1 is white. */
const [BIT_DEPTH, GRAYSCALE] = [1, 0];
const NO_FILTER = 0;

/**
 * Encodes an image.
 * @param rows rows of pixels, all of the same length; `true` is black
 * @param scale width and height of each pixel in the image
 * @returns the bytes of a PNG file
 */
export const encodePng = async (rows: readonly (readonly boolean[])[], scale: number): Promise<Uint8Array<ArrayBuffer>> => {
  const [width, height] = [(rows[0]?.length ?? 0) * scale, rows.length * scale];
  const lines = rows.flatMap((row) => Array.from({ length: scale }, () => encodeLine(row, scale, width)));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([BIT_DEPTH, GRAYSCALE], 8);
  return concat([
    SIGNATURE,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', await deflate(concat(lines))),
    encodeChunk('IEND', new Uint8Array(0)),
  ]);
};

/** Encodes a scan line: a byte for the filter type, then one bit per pixel, with the leftmost pixel in the highest bit. */
const encodeLine = (row: readonly boolean[], scale: number, width: number): Uint8Array<ArrayBuffer> => {
  const line = new Uint8Array(1 + Math.ceil(width / 8));
  line[0] = NO_FILTER;
  for (let x = 0; x < width; x++) {
    if (!row[Math.floor(x / scale)]) line[1 + (x >> 3)] = (line[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
  }
  return line;
};

const encodeChunk = (type: string, data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const body = concat([new TextEncoder().encode(type), data]);
  return concat([encodeUint32(data.length), body, encodeUint32(crc32(body))]);
};

const encodeUint32 = (value: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

/** The format `deflate` of the Compression Streams Standard is the zlib format (RFC 1950), which PNG requires. */
const deflate = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer());

const concat = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
};
