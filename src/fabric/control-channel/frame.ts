import { Malformed } from './malformed.ts';

/** One message on a control channel. */
export interface Frame {
  /** The type of the message, see `messages/`. */
  readonly contentType: number;
  /** Its number in the sequence of its sender; -1 for a hello and the answer to it. */
  readonly sequence: number;
  /** Values by key, see `header-fields.ts`. */
  readonly headers: FrameHeaders;
  readonly body: Uint8Array;
}

/** The headers of a frame, each key once. */
export type FrameHeaders = ReadonlyMap<number, Uint8Array>;

/** The first bytes of every frame. */
export const MARKER = Uint8Array.of(0x03, 0x06, 0x09, 0x0c);

/** Bytes before the headers: marker, content type, sequence, and the lengths of headers and body. All integers are little-endian. */
export const PREFIX_BYTES = 20;

/** Bytes before the value of a header: its key and its length. */
const HEADER_PREFIX = 8;

/** Maximum number of headers of one frame. Routers send at most nine. */
const MAX_HEADERS = 256;

/** The bytes of a frame. */
export const encodeFrame = (frame: Frame): Uint8Array => {
  const head = encodeHead(frame);
  const bytes = new Uint8Array(head.length + frame.body.length);
  bytes.set(head);
  bytes.set(frame.body, head.length);
  return bytes;
};

/** Longer bodies are not copied, because many routers may receive the same one. */
const MAX_COPIED = 16_384;

/** The bytes of a frame, in consecutive parts. */
export const frameParts = (frame: Frame): readonly Uint8Array[] =>
  frame.body.length > MAX_COPIED ? [encodeHead(frame), frame.body] : [encodeFrame(frame)];

const encodeHead = ({ contentType, sequence, headers, body }: Frame): Uint8Array => {
  const headerBytes = [...headers.values()].reduce((sum, { length }) => sum + HEADER_PREFIX + length, 0);
  const bytes = new Uint8Array(PREFIX_BYTES + headerBytes);
  const view = new DataView(bytes.buffer);
  bytes.set(MARKER);
  view.setInt32(4, contentType, true);
  view.setInt32(8, sequence, true);
  view.setUint32(12, headerBytes, true);
  view.setUint32(16, body.length, true);
  let offset = PREFIX_BYTES;
  for (const [key, value] of headers) {
    view.setInt32(offset, key, true);
    view.setUint32(offset + 4, value.length, true);
    bytes.set(value, offset + HEADER_PREFIX);
    offset += HEADER_PREFIX + value.length;
  }
  return bytes;
};

/**
 * Decodes the headers of a frame.
 * @throws Malformed
 */
export const decodeHeaders = (bytes: Uint8Array): FrameHeaders => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = new Map<number, Uint8Array>();
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes.length - offset < HEADER_PREFIX) throw new Malformed('a header is cut off');
    const key = view.getInt32(offset, true);
    const start = offset + HEADER_PREFIX;
    const length = view.getUint32(offset + 4, true);
    if (length > bytes.length - start) throw new Malformed(`header ${key} is longer than the headers`);
    if (headers.has(key)) throw new Malformed(`header ${key} occurs twice`);
    if (headers.size === MAX_HEADERS) throw new Malformed(`a frame has more than ${MAX_HEADERS} headers`);
    offset = start + length;
    headers.set(key, bytes.subarray(start, offset));
  }
  return headers;
};
