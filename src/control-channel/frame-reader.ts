import { decodeHeaders, type Frame, MARKER, PREFIX_BYTES } from './frame.ts';
import { Malformed } from './malformed.ts';

/** Bytes that a frame may have at most. */
export interface FrameLimits {
  /** Of all its headers. */
  readonly headers: number;
  readonly body: number;
  /** Of bodies of some kinds, by content type. */
  readonly bodies?: ReadonlyMap<number, number>;
}

/** Puts frames together from the parts in which they arrive. */
export interface FrameReader {
  /** Those of the next frames that come. */
  limits: FrameLimits;
  /**
   * The frames that end in this part, each read when it is asked for.
   * @throws Malformed for what begins no frame, and for one beyond the limits, as soon as its lengths are known
   */
  read(part: Uint8Array): Generator<Frame, void, undefined>;
}

/** What is held of a frame at first. Bytes. */
const SMALLEST = 1024;

/**
 * A frame that comes in one part is read from there. Of others the parts are copied, however small they are, into a buffer that grows with what has come:
 * it is never more than twice as large, whatever length was announced.
 */
export const createFrameReader = (first: FrameLimits): FrameReader => {
  let held = new Uint8Array();
  let length = 0;

  const hold = (part: Uint8Array, most: number): void => {
    const needed = length + part.length;
    if (needed > held.length) {
      const larger = new Uint8Array(Math.max(needed, Math.min(most, Math.max(SMALLEST, 2 * held.length))));
      larger.set(held.subarray(0, length));
      held = larger;
    }
    held.set(part, length);
    length = needed;
  };

  /** How long the frame is that begins here; undefined as long as that cannot be known. @throws Malformed */
  const sizeOf = (bytes: Uint8Array): number | undefined => {
    if (MARKER.some((byte, i) => i < bytes.length && bytes[i] !== byte)) throw new Malformed('what came is no frame');
    if (bytes.length < PREFIX_BYTES) return undefined;
    const { headers, body, contentType } = prefixOf(bytes);
    if (headers > reader.limits.headers) throw new Malformed(`a frame of type ${contentType} has ${headers} bytes of headers`);
    if (body > (reader.limits.bodies?.get(contentType) ?? reader.limits.body))
      throw new Malformed(`a frame of type ${contentType} has a body of ${body} bytes`);
    return PREFIX_BYTES + headers + body;
  };

  const reader: FrameReader = {
    limits: first,
    *read(part) {
      let rest = part;
      while (rest.length > 0) {
        const isFirst = length === 0;
        const size = sizeOf(isFirst ? rest : held.subarray(0, length));
        if (isFirst && size !== undefined && size <= rest.length) {
          const frame = frameOf(rest.subarray(0, size));
          rest = rest.subarray(size);
          yield frame;
          continue;
        }
        // As much as is known to belong to the frame.
        const wanted = size ?? PREFIX_BYTES;
        const some = rest.subarray(0, wanted - length);
        hold(some, wanted);
        rest = rest.subarray(some.length);
        const whole = held.subarray(0, length);
        if (sizeOf(whole) !== length) continue;
        [held, length] = [new Uint8Array(), 0];
        yield frameOf(whole);
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
