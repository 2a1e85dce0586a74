import { decodeHeaders, type Frame, MARKER, PREFIX_BYTES } from './frame.ts';
import { Malformed } from './malformed.ts';

/** Bytes that a frame may have at most. */
export interface FrameLimits {
  /** Of all its headers. */
  readonly headers: number;
  readonly body: number;
}

/** Puts frames together from the parts in which they arrive. */
export interface FrameReader {
  /** Those of the next frames that come. */
  limits: FrameLimits;
  /** Whether a frame has begun and not ended. */
  readonly isWithinFrame: boolean;
  /**
   * The frames that end in this part, each read when it is asked for.
   * @throws Malformed for what begins no frame, and for one beyond the limits, as soon as its lengths are known
   */
  read(part: Uint8Array): Generator<Frame, void, undefined>;
}

/** Nothing is allocated for a frame until it is complete: until then, its parts are kept as they came. */
export const createFrameReader = (first: FrameLimits): FrameReader => {
  let parts: Uint8Array[] = [];
  let length = 0;

  /** As many bytes as that, which are there. Copied only when they came in several parts. */
  const take = (count: number): Uint8Array => {
    const bytes = peek(count);
    length -= count;
    let left = count;
    while (left > 0 && (parts[0]?.length ?? 0) <= left) left -= parts.shift()?.length ?? 0;
    if (left > 0 && parts[0]) parts[0] = parts[0].subarray(left);
    return bytes;
  };

  const peek = (count: number): Uint8Array => {
    const [next = EMPTY] = parts;
    if (next.length >= count) return next.subarray(0, count);
    const bytes = new Uint8Array(count);
    let at = 0;
    for (const part of parts) {
      bytes.set(part.subarray(0, count - at), at);
      at += Math.min(part.length, count - at);
      if (at === count) break;
    }
    return bytes;
  };

  const next = (): Frame | undefined => {
    const prefix = peek(Math.min(length, PREFIX_BYTES));
    if (MARKER.some((byte, i) => i < prefix.length && prefix[i] !== byte)) throw new Malformed('what came is no frame');
    if (prefix.length < PREFIX_BYTES) return undefined;
    const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
    const [headers, body] = [view.getUint32(12, true), view.getUint32(16, true)];
    const contentType = view.getInt32(4, true);
    if (headers > reader.limits.headers) throw new Malformed(`a frame of type ${contentType} has ${headers} bytes of headers`);
    if (body > reader.limits.body) throw new Malformed(`a frame of type ${contentType} has a body of ${body} bytes`);
    if (length < PREFIX_BYTES + headers + body) return undefined;
    take(PREFIX_BYTES);
    return { contentType, sequence: view.getInt32(8, true), headers: decodeHeaders(take(headers)), body: take(body) };
  };

  const reader: FrameReader = {
    limits: first,
    get isWithinFrame() {
      return length > 0;
    },
    *read(part) {
      if (part.length > 0) parts.push(part);
      length += part.length;
      for (let frame = next(); frame; frame = next()) yield frame;
      if (length === 0) parts = [];
    },
  };
  return reader;
};

const EMPTY = new Uint8Array();
