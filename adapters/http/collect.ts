import { BodyIncomplete, BodyTooLarge } from '../../src/adapter-kit.ts';
import type { NodeIncoming } from './node-request.ts';

/** A body that is being read. */
export interface Collecting {
  /** @throws BodyTooLarge, BodyIncomplete, or what `stop` was given */
  readonly bytes: Promise<Uint8Array>;
  /** Stops reading, and rejects `bytes`. The rest of the body stays unread. */
  stop(reason: Error): void;
}

/** Chunks of a body. A client decides how short they are, and reading one of a single byte costs 2 µs of processor time: 1 MiB of these would cost 0.3 s. */
export const MOST_CHUNKS = 10_000;

/**
 * Reads a body into memory. Stops with BodyTooLarge beyond `limit` bytes, or beyond 10,000 chunks.
 * @param received called with the number of bytes of each chunk
 */
export const collect = (req: NodeIncoming, limit: number, received: (bytes: number) => void): Collecting => {
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
    if (size > limit || chunks.length === MOST_CHUNKS) stop(new BodyTooLarge());
    else {
      chunks.push(chunk);
      received(chunk.length);
    }
  };
  const end = (): void => {
    settle();
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)); // there is one
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
