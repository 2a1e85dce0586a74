import { abandon, type CoreAnswer } from '../../src/adapter-kit.ts';
import type { NodeOutgoing } from './node-request.ts';

type Streamed = Pick<CoreAnswer, 'signal' | 'isEndless'> & { readonly body: AsyncIterable<Uint8Array> };

/** The streamed answers of a server. */
export interface NodeStreams {
  /** Sends a body, with backpressure, once its headers are written. Abandons it if the client disconnects. */
  send(res: NodeOutgoing, answer: Streamed): void;
  /** Ends all endless answers once their current chunk is written. */
  end(): void;
}

export const createNodeStreams = (): NodeStreams => {
  const endless = new Set<() => void>();
  const send = async (res: NodeOutgoing, { body, signal, isEndless }: Streamed): Promise<void> => {
    const chunks = body[Symbol.asyncIterator]();
    const end = () => abandon(chunks);
    const onAbort = () => abortResponse(res);
    if (isEndless) endless.add(end);
    res.once('close', end);
    signal?.addEventListener('abort', onAbort);
    try {
      for (;;) {
        const { done, value } = await chunks.next();
        if (done || isClosed(res)) break;
        if (!write(res, value)) await waitForDrain(res);
      }
      res.end();
    } catch {
      // The controller has logged the error. The answer is reset, so that the client does not mistake a partial answer for a complete one.
      abortResponse(res);
    } finally {
      res.off('close', end);
      signal?.removeEventListener('abort', onAbort);
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

const isClosed = (res: NodeOutgoing): boolean => ('stream' in res ? res.stream.destroyed : res.destroyed);

/** Resets the stream or the connection, so that the client notices that the answer is incomplete. */
const abortResponse = (res: NodeOutgoing): void => {
  if ('stream' in res) res.stream.close(INTERNAL_ERROR);
  else res.destroy();
};

/** The HTTP/2 error code INTERNAL_ERROR (RFC 9113, 7). */
const INTERNAL_ERROR = 2;

/** Has one call per type, because the compiler cannot unify the two signatures of `write`. */
const write = (res: NodeOutgoing, bytes: Uint8Array): boolean => ('stream' in res ? res.write(bytes) : res.write(bytes));

/** Waits until the response accepts more data, or is closed. */
const waitForDrain = (res: NodeOutgoing): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
