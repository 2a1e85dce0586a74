import type { TLSSocket } from 'node:tls';

/** Writes to a socket with backpressure. Buffers large messages without copying them, so that one for many routers is in memory only once. */
export interface PacedWriter {
  write(bytes: Uint8Array): void;
  /** Bytes that are not sent yet. */
  readonly buffered: number;
  /** Resolves when all bytes are sent, or the socket is closed. */
  drained(): Promise<void>;
  /** Ends the socket when everything has been written. */
  end(): void;
}

/** Maximum bytes per write to the socket, which copies them into TLS records. */
const CHUNK_SIZE = 65_536;

/**
 * Size of the pages that combine short messages. Buffered separately, a hundred thousand of them would take several times their size, and each write would move
 * the whole list.
 */
const PAGE_SIZE = 16_384;

export const pacedWriter = (socket: TLSSocket): PacedWriter => {
  const waiting: Uint8Array[] = [];
  /** The last page of the buffer, and how many of its bytes are used. */
  let [page, used]: [Uint8Array | undefined, number] = [undefined, 0];
  let waitingBytes = 0;
  let isEnding = false;
  let drainWaiters: (() => void)[] = [];

  const bufferedBytes = (): number => waitingBytes + socket.writableLength;
  /** Called after each chunk, because the socket emits `drain` only after its own buffer was full. */
  const notifyIfDrained = (): void => {
    if (bufferedBytes() > 0 && !socket.destroyed) return;
    const waiters = drainWaiters;
    drainWaiters = [];
    for (const resolve of waiters) resolve();
  };
  const append = (bytes: Uint8Array): void => {
    if (bytes.length >= PAGE_SIZE || !socket.writableNeedDrain) {
      page = undefined;
      waiting.push(bytes);
      return;
    }
    if (!page || waiting.length === 0 || bytes.length > PAGE_SIZE - used) {
      [page, used] = [new Uint8Array(PAGE_SIZE), 0];
      waiting.push(page);
    }
    page.set(bytes, used);
    used += bytes.length;
    waiting[waiting.length - 1] = page.subarray(0, used);
  };
  const flush = (): void => {
    while (waiting[0] && !socket.writableNeedDrain && !socket.destroyed) {
      const [first] = waiting;
      const chunk = first.subarray(0, CHUNK_SIZE);
      if (chunk.length < first.length) waiting[0] = first.subarray(CHUNK_SIZE);
      else waiting.shift();
      waitingBytes -= chunk.length;
      socket.write(chunk, notifyIfDrained);
    }
    if (isEnding && waiting.length === 0) socket.end();
  };
  socket.on('drain', flush).on('close', notifyIfDrained);
  return {
    write: (bytes) => {
      append(bytes);
      waitingBytes += bytes.length;
      flush();
    },
    get buffered() {
      return bufferedBytes();
    },
    drained: () =>
      new Promise((resolve) => {
        drainWaiters.push(resolve);
        notifyIfDrained();
      }),
    end: () => {
      isEnding = true;
      flush();
    },
  };
};
