import { setImmediate } from 'node:timers';
import type { TLSSocket } from 'node:tls';

/** Writes to a socket with backpressure. Does not copy large messages, so that a message for many routers is in memory only once. */
export interface PacedWriter {
  write(bytes: Uint8Array): void;
  /** Number of bytes that have not been sent yet. */
  readonly buffered: number;
  /** Resolves when all bytes are sent, or the socket is closed. */
  drained(): Promise<void>;
  /** Ends the socket when everything has been written. */
  end(): void;
}

/** Maximum bytes per write to the socket, which copies them into TLS records. */
const CHUNK_SIZE = 65_536;

/**
 * Size of the pages that combine short messages, in bytes. As separate entries, a hundred thousand messages would take several times their
 * size, and each write would move the entire list.
 */
const PAGE_SIZE = 16_384;

/** Bytes that all writers together write in one turn of the event loop: a few milliseconds of encryption. */
export const BYTES_PER_TURN = 1_048_576;

let leftInTurn = BYTES_PER_TURN;
/** The writers that have to wait for the next turn, in order. */
const waiting = new Set<() => void>();
let isTurnEnding = false;

const onNextTurn = (): void => {
  isTurnEnding = false;
  leftInTurn = BYTES_PER_TURN;
  for (const flush of waiting) {
    if (leftInTurn <= 0) break;
    waiting.delete(flush);
    flush();
  }
  if (waiting.size > 0) endTurn();
};
const endTurn = (): void => {
  if (!isTurnEnding) setImmediate(onNextTurn);
  isTurnEnding = true;
};
/** Counts written bytes. Sockets that take all that is written report that at once, so nothing else would end the turn. */
const spend = (bytes: number): void => {
  leftInTurn -= bytes;
  endTurn();
};
const waitForTurn = (flush: () => void): void => {
  waiting.add(flush);
  endTurn();
};

export const createPacedWriter = (socket: TLSSocket): PacedWriter => {
  const queue = new ByteQueue();
  let isEnding = false;
  let drainWaiters: (() => void)[] = [];

  const bufferedBytes = (): number => queue.size + socket.writableLength;
  /** Called after each chunk, because the socket emits `drain` only after its own buffer was full. */
  const notifyIfDrained = (): void => {
    if (bufferedBytes() > 0 && !socket.destroyed) return;
    const waiters = drainWaiters;
    drainWaiters = [];
    for (const resolve of waiters) resolve();
  };
  const flush = (): void => {
    while (queue.size > 0 && !socket.writableNeedDrain && !socket.destroyed) {
      if (leftInTurn <= 0) {
        waitForTurn(flush);
        return;
      }
      const chunk = queue.take(CHUNK_SIZE);
      spend(chunk.length);
      socket.write(chunk, notifyIfDrained);
    }
    if (isEnding && queue.size === 0) socket.end();
  };
  socket.on('drain', flush).on('close', notifyIfDrained);
  return {
    write: (bytes) => {
      if (bytes.length === 0) return;
      if (socket.writableNeedDrain || leftInTurn <= 0) queue.pack(bytes);
      else queue.push(bytes);
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

/** Bytes in the order in which they are sent. */
class ByteQueue {
  readonly #parts: Uint8Array[] = [];
  /** The page that contains the last part; undefined if the last part is a separate message. */
  #page: Uint8Array | undefined;
  /** Number of used bytes of the page. */
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a message without copying it. */
  push(bytes: Uint8Array): void {
    this.#page = undefined;
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  /** Adds a message that has to wait. Copies it into a page if it is short. */
  pack(bytes: Uint8Array): void {
    if (bytes.length >= PAGE_SIZE) {
      this.push(bytes);
      return;
    }
    if (!this.#page || this.#parts.length === 0 || bytes.length > PAGE_SIZE - this.#used) {
      this.#page = new Uint8Array(PAGE_SIZE);
      this.#used = 0;
      this.#parts.push(this.#page);
    }
    this.#page.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#parts[this.#parts.length - 1] = this.#page.subarray(0, this.#used);
    this.#size += bytes.length;
  }

  /** Removes bytes from the beginning, at most `limit`. */
  take(limit: number): Uint8Array {
    const first = this.#parts[0] ?? NO_BYTES;
    const taken = first.subarray(0, limit);
    if (taken.length < first.length) this.#parts[0] = first.subarray(limit);
    else this.#parts.shift();
    this.#size -= taken.length;
    return taken;
  }
}

const NO_BYTES = new Uint8Array();
