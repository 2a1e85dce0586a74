/**
 * Frames that controllers and routers exchanged, and vectors cut from them. Tokens, keys and certificates were replaced by other bytes of
 * the same length.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Headers by key, in hexadecimal. */
type RecordedHeaders = Readonly<Record<string, string>>;

export interface RecordedFrame {
  readonly name: string;
  readonly from: 'router' | 'controller';
  readonly contentType: number;
  readonly sequence: number;
  readonly headers: RecordedHeaders;
  /** What its body says; absent fields have what absence means. 64 bits are numbers, bytes base64, enumerations names. */
  readonly decoded?: unknown;
  /** Its body, if that is text. */
  readonly text?: string;
  /** The whole frame in hexadecimal. */
  readonly frame: string;
}

export interface Vector {
  readonly what: string;
  readonly hex: string;
  // Each vector has a form of its own.
  readonly value: unknown;
}

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'));

export const recordedFrames: readonly RecordedFrame[] = read('frames.json');

export const vectors: readonly Vector[] = read('vectors.json');

/** Hellos of routers, made of what routers of these lines were seen to send. */
export const hellos: readonly { readonly name: string; readonly frame: string }[] = read('hellos.json');

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export const hexOf = (headers: ReadonlyMap<number, Uint8Array>): RecordedHeaders =>
  Object.fromEntries([...headers].map(([key, value]) => [String(key), toHex(value)]));
