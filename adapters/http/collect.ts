import { BodyIncomplete, BodyTooLarge } from '../../src/adapter-kit.ts';
import type { NodeIncoming } from './node-request.ts';

/** A body that is being read. */
export interface Collecting {
  /** @throws BodyTooLarge, BodyIncomplete, or the reason passed to `stop` */
  readonly bytes: Promise<Uint8Array>;
  /** Stops reading, and rejects `bytes`. The rest of the body remains unread. */
  stop(reason: Error): void;
}

/**
 * Maximum number of chunks of a body. Clients choose the size of chunks, and even a chunk of one byte costs microseconds of processor time.
 */
export const MAX_CHUNKS = 10_000;

/**
 * Reads a body into memory. Stops with BodyTooLarge beyond `limit` bytes or 10,000 chunks.
 * @param onChunk called with the number of bytes of each chunk
 */
export const collect = (req: NodeIncoming, limit: number, onChunk: (bytes: number) => void): Collecting => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  const removeListeners = (): void =>
    void req.off('data', onData).off('end', onEnd).off('error', onInterrupted).off('aborted', onInterrupted).off('close', onInterrupted);
  const stop = (reason: Error): void => {
    req.pause();
    removeListeners();
    reject(reason);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit || chunks.length === MAX_CHUNKS) stop(new BodyTooLarge());
    else {
      chunks.push(chunk);
      onChunk(chunk.length);
    }
  };
  const onEnd = (): void => {
    removeListeners();
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)); // the length is 1
  };
  const onInterrupted = (): void => {
    removeListeners();
    reject(new BodyIncomplete());
  };
  if (req.destroyed && !req.readableEnded) onInterrupted();
  // In HTTP/2, an aborted request emits `end` as well, after `aborted`.
  else req.on('data', onData).on('end', onEnd).on('error', onInterrupted).on('aborted', onInterrupted).on('close', onInterrupted);
  return { bytes: promise, stop };
};
