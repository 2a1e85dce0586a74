import { abandon, type CoreAnswer } from '../../src/adapter-kit.ts';
import type { NodeOutgoing } from './node-request.ts';

type Streamed = Pick<CoreAnswer, 'signal' | 'isEndless'> & { readonly body: AsyncIterable<Uint8Array> };

/** The streamed answers of a server. */
export interface NodeStreams {
  /** Sends a body with backpressure after its headers, and abandons it if the client disconnects. */
  send(res: NodeOutgoing, answer: Streamed): void;
  /** Ends all endless answers, after their current part. */
  end(): void;
}

export const createNodeStreams = (): NodeStreams => {
  const endless = new Set<() => void>();
  const send = async (res: NodeOutgoing, { body, signal, isEndless }: Streamed): Promise<void> => {
    const parts = body[Symbol.asyncIterator]();
    const end = () => abandon(parts);
    const cutOff = () => breakOff(res);
    if (isEndless) endless.add(end);
    res.once('close', end);
    signal?.addEventListener('abort', cutOff);
    try {
      for (;;) {
        const { done, value } = await parts.next();
        if (done || isGone(res)) break;
        if (!write(res, value)) await drained(res);
      }
      res.end();
    } catch {
      // The controller has logged the error. The answer is reset, so that the client does not mistake a partial answer for a complete one.
      breakOff(res);
    } finally {
      res.off('close', end);
      signal?.removeEventListener('abort', cutOff);
      endless.delete(end);
      end();
    }
  };
  return {
    send: (res, answer) => void send(res, answer),
    end: () => {
      for (const end of endless) end();
    },
  };
};

const isGone = (res: NodeOutgoing): boolean => ('stream' in res ? res.stream.destroyed : res.destroyed);

/** Aborts an incomplete answer, so that the client notices that it is incomplete. */
export const breakOff = (res: NodeOutgoing): void => {
  if ('stream' in res) res.stream.close(INTERNAL_ERROR);
  else res.destroy();
};

/** HTTP/2 error code (RFC 9113, 7). */
const INTERNAL_ERROR = 2;

/** Has two calls, because the compiler cannot unify the signatures of `write`. */
const write = (res: NodeOutgoing, bytes: Uint8Array): boolean => ('stream' in res ? res.write(bytes) : res.write(bytes));

/** Waits until the response accepts more data, or is closed. */
const drained = (res: NodeOutgoing): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
