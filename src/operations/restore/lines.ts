import { utf8ToBytes } from '@noble/hashes/utils.js';
import { SnapshotRefused } from '../../store/storage/errors.ts';

/** Maximum number of characters of a reason. */
const MAX_REASON_LENGTH = 500;

/** @param reason may quote the snapshot; control characters, which could manipulate a terminal, are removed */
export const refusedAt = (line: number, reason: string): SnapshotRefused =>
  new SnapshotRefused(`the snapshot is refused, line ${line}: ${reason.slice(0, MAX_REASON_LENGTH).replaceAll(/\p{C}/gu, '�')}`);

/** Maximum length of a line in bytes. No row comes close, because request bodies are much shorter. */
const MAX_LINE_BYTES = 2 ** 26;
const LINE_FEED = 0x0a;

/** A line of a snapshot, without its line feed. */
export interface Line {
  /** Starts at 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * The lines of a text that arrives in parts of any size.
 * @throws SnapshotRefused for a line that is too long, and for an unterminated line
 */
export async function* linesOf(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<Line> {
  let number = 1;
  const pending = new Buffered();
  for await (const part of parts) {
    const bytes = typeof part === 'string' ? utf8ToBytes(part) : part;
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, start);
      const piece = bytes.subarray(start, end < 0 ? bytes.length : end);
      if (pending.length + piece.length > MAX_LINE_BYTES) throw refusedAt(number, `it is longer than ${MAX_LINE_BYTES} bytes`);
      if (end < 0) {
        pending.append(piece);
        break;
      }
      yield { number, bytes: pending.endWith(piece) };
      number++;
      start = end + 1;
    }
  }
  if (pending.length > 0) throw refusedAt(number, 'the snapshot is truncated in this line');
}

/** The start of an incomplete line. The buffer grows by doubling, so that tiny parts cost no more than large ones. */
class Buffered {
  #bytes = new Uint8Array(1024);
  length = 0;

  append(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  /** Returns the whole line; copies only if the line began in an earlier part. */
  endWith(piece: Uint8Array): Uint8Array {
    if (this.length === 0) return piece;
    this.append(piece);
    const whole = this.#bytes.slice(0, this.length);
    this.length = 0;
    return whole;
  }
}
