import type { TLSSocket } from 'node:tls';

/** Writes to a socket what it takes; the rest is kept as it came, so that a large message which many get is there once. */
export interface PacedWriter {
  write(bytes: Uint8Array): void;
  /** Bytes that wait. */
  readonly kept: number;
  /** Resolves when nothing waits any more, or the socket is closed. */
  drained(): Promise<void>;
  /** Ends the socket once everything is written. */
  end(): void;
}

/** Bytes that are handed to the socket at a time: it makes them into TLS records, copies of its own. */
const PIECE = 65_536;

/**
 * Shorter parts that wait are gathered in pages of this size. One by one, a hundred thousand of them would take several times their bytes, and the list of
 * them would be moved with each that is sent.
 */
const PAGE = 16_384;

export const pacedWriter = (socket: TLSSocket): PacedWriter => {
  const waiting: Uint8Array[] = [];
  /** Where the last that waits is a page: all of it, and how many bytes are used. */
  let [page, used]: [Uint8Array | undefined, number] = [undefined, 0];
  let bytesWaiting = 0;
  let isEnding = false;
  let untilDrained: (() => void)[] = [];

  const kept = (): number => bytesWaiting + socket.writableLength;
  /** After each piece: the socket says `drain` only after one that was too much for it. */
  const written = (): void => {
    if (kept() > 0 && !socket.destroyed) return;
    const resolved = untilDrained;
    untilDrained = [];
    for (const resolve of resolved) resolve();
  };
  const append = (bytes: Uint8Array): void => {
    if (bytes.length >= PAGE || !socket.writableNeedDrain) {
      page = undefined;
      waiting.push(bytes);
      return;
    }
    if (!page || waiting.length === 0 || bytes.length > PAGE - used) {
      [page, used] = [new Uint8Array(PAGE), 0];
      waiting.push(page);
    }
    page.set(bytes, used);
    used += bytes.length;
    waiting[waiting.length - 1] = page.subarray(0, used);
  };
  const proceed = (): void => {
    while (waiting[0] && !socket.writableNeedDrain && !socket.destroyed) {
      const [first] = waiting;
      const piece = first.subarray(0, PIECE);
      if (piece.length < first.length) waiting[0] = first.subarray(PIECE);
      else waiting.shift();
      bytesWaiting -= piece.length;
      socket.write(piece, written);
    }
    if (isEnding && waiting.length === 0) socket.end();
  };
  socket.on('drain', proceed).on('close', written);
  return {
    write: (bytes) => {
      append(bytes);
      bytesWaiting += bytes.length;
      proceed();
    },
    get kept() {
      return kept();
    },
    drained: () =>
      new Promise((resolve) => {
        untilDrained.push(resolve);
        written();
      }),
    end: () => {
      isEnding = true;
      proceed();
    },
  };
};
