import type { TLSSocket } from 'node:tls';

/** Writes to a socket with backpressure. Buffers the rest without copying, so that a large message for many routers is in memory only once. */
export interface PacedWriter {
  write(bytes: Uint8Array): void;
  /** Bytes in the buffer. */
  readonly buffered: number;
  /** Resolves when the buffer is empty, or the socket is closed. */
  drained(): Promise<void>;
  /** Ends the socket once everything is written. */
  end(): void;
}

/** Bytes per write to the socket, which copies them into TLS records. */
const PIECE = 65_536;

/**
 * Page size of the buffer for short parts. Buffered one by one, a hundred thousand of them would take several times their bytes, and each write would
 * move their list.
 */
const PAGE = 16_384;

export const pacedWriter = (socket: TLSSocket): PacedWriter => {
  const waiting: Uint8Array[] = [];
  /** The last page of the buffer, and how many of its bytes are used. */
  let [page, used]: [Uint8Array | undefined, number] = [undefined, 0];
  let bytesWaiting = 0;
  let isEnding = false;
  let untilDrained: (() => void)[] = [];

  const kept = (): number => bytesWaiting + socket.writableLength;
  /** Called after each piece: the socket emits `drain` only after a piece beyond its own buffer. */
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
    get buffered() {
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
