import { decodeHeaders, type Frame, MARKER, PREFIX_BYTES } from './frame.ts';
import { Malformed } from './malformed.ts';

/** Size limits of a frame, in bytes. */
export interface FrameLimits {
  /** All headers together. */
  readonly headers: number;
  readonly body: number;
  /** Limits of bodies, by content type. */
  readonly bodies?: ReadonlyMap<number, number>;
}

/** Reads frames from the chunks in which they arrive. */
export interface FrameReader {
  /** Limits of subsequent frames. */
  limits: FrameLimits;
  /**
   * The frames that this part completes.
   * @throws Malformed if the bytes are not a frame, or, as soon as its lengths are known, if a frame exceeds the limits
   */
  read(part: Uint8Array): Generator<Frame, void, undefined>;
}

/** Initial size of the buffer of a frame, in bytes. */
const INITIAL_SIZE = 1024;

/**
 * A frame that arrives in one part is read in place. Parts of other frames are copied into a buffer that grows with the bytes received.
 * Regardless of the announced length, the buffer is at most twice as large as the bytes received so far, or `INITIAL_SIZE`.
 */
export const createFrameReader = (initialLimits: FrameLimits): FrameReader => {
  let buffer = new Uint8Array();
  let length = 0;

  const append = (part: Uint8Array, maxSize: number): void => {
    const needed = length + part.length;
    if (needed > buffer.length) {
      const larger = new Uint8Array(Math.max(needed, Math.min(maxSize, Math.max(INITIAL_SIZE, 2 * buffer.length))));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(part, length);
    length = needed;
  };

  /**
   * The length of the frame that begins here; undefined until its prefix is complete.
   * @throws Malformed
   */
  const sizeOf = (bytes: Uint8Array): number | undefined => {
    if (MARKER.some((byte, i) => i < bytes.length && bytes[i] !== byte)) throw new Malformed('the bytes received are not a frame');
    if (bytes.length < PREFIX_BYTES) return undefined;
    const { headers, body, contentType } = prefixOf(bytes);
    if (headers > reader.limits.headers) throw new Malformed(`a frame of type ${contentType} has ${headers} bytes of headers`);
    if (body > (reader.limits.bodies?.get(contentType) ?? reader.limits.body))
      throw new Malformed(`a frame of type ${contentType} has a body of ${body} bytes`);
    return PREFIX_BYTES + headers + body;
  };

  const reader: FrameReader = {
    limits: initialLimits,
    *read(part) {
      let unread = part;
      while (unread.length > 0) {
        const isFirst = length === 0;
        const size = sizeOf(isFirst ? unread : buffer.subarray(0, length));
        if (isFirst && size !== undefined && size <= unread.length) {
          const frame = frameOf(unread.subarray(0, size));
          unread = unread.subarray(size);
          yield frame;
          continue;
        }
        // Append only the bytes that belong to this frame.
        const needed = size ?? PREFIX_BYTES;
        const chunk = unread.subarray(0, needed - length);
        append(chunk, needed);
        unread = unread.subarray(chunk.length);
        const collected = buffer.subarray(0, length);
        if (sizeOf(collected) !== length) continue;
        [buffer, length] = [new Uint8Array(), 0];
        yield frameOf(collected);
      }
    },
  };
  return reader;
};

const prefixOf = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, PREFIX_BYTES);
  return {
    contentType: view.getInt32(4, true),
    sequence: view.getInt32(8, true),
    headers: view.getUint32(12, true),
    body: view.getUint32(16, true),
  };
};

/** @throws Malformed */
const frameOf = (bytes: Uint8Array): Frame => {
  const { contentType, sequence, headers } = prefixOf(bytes);
  const body = PREFIX_BYTES + headers;
  return { contentType, sequence, headers: decodeHeaders(bytes.subarray(PREFIX_BYTES, body)), body: bytes.subarray(body) };
};
