import { BodyIncomplete, BodyTooLarge } from '../../src/adapter-kit.ts';
import type { NodeIncoming } from './node-request.ts';

/** A body that is being read. */
export interface Collecting {
  /** @throws BodyTooLarge, BodyIncomplete, or the reason passed to `stop` */
  readonly bytes: Promise<Uint8Array>;
  /** Stops reading, and rejects `bytes`. The rest of the body stays unread. */
  stop(reason: Error): void;
}

/** Maximum number of chunks of a body. Clients determine their size, and even a chunk of a single byte costs microseconds of processor time. */
export const MAX_CHUNKS = 10_000;

/**
 * Reads a body into memory. Stops with BodyTooLarge beyond `limit` bytes or 10,000 chunks.
 * @param onChunk called with the number of bytes of each chunk
 */
export const collect = (req: NodeIncoming, limit: number, onChunk: (bytes: number) => void): Collecting => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  const settle = (): void => void req.off('data', data).off('end', end).off('error', cut).off('aborted', cut).off('close', cut);
  const stop = (reason: Error): void => {
    req.pause();
    settle();
    reject(reason);
  };
  const data = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit || chunks.length === MAX_CHUNKS) stop(new BodyTooLarge());
    else {
      chunks.push(chunk);
      onChunk(chunk.length);
    }
  };
  const end = (): void => {
    settle();
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)); // the length is 1
  };
  const cut = (): void => {
    settle();
    reject(new BodyIncomplete());
  };
  if (req.destroyed && !req.readableEnded) cut();
  // In HTTP/2, an aborted request emits `end` as well, after `aborted`.
  else req.on('data', data).on('end', end).on('error', cut).on('aborted', cut).on('close', cut);
  return { bytes: promise, stop };
};
