import { abandon } from '../../src/adapter-kit.ts';
import type { NodeOutgoing } from './node-request.ts';

/** The answers of a server that are sent as they are made. */
export interface NodeStreams {
  /** Sends a body after its headers, at the pace at which the client takes it, and gives it up when the client goes away. */
  send(res: NodeOutgoing, body: AsyncIterable<Uint8Array>): void;
  /** Ends those that are open, each after what has been sent of it. */
  end(): void;
}

export const createNodeStreams = (): NodeStreams => {
  const open = new Set<() => void>();
  const send = async (res: NodeOutgoing, parts: AsyncIterator<Uint8Array>): Promise<void> => {
    const end = () => abandon(parts);
    open.add(end);
    res.once('close', end);
    try {
      for (;;) {
        const { done, value } = await parts.next();
        if (done || isGone(res)) break;
        if (!write(res, value)) await drained(res);
      }
      res.end();
    } catch {
      // The controller has logged it. The client must not take what it has for the whole.
      breakOff(res);
    } finally {
      res.off('close', end);
      open.delete(end);
      end();
    }
  };
  return {
    send: (res, body) => void send(res, body[Symbol.asyncIterator]()),
    end: () => {
      for (const end of open) end();
    },
  };
};

const isGone = (res: NodeOutgoing): boolean => ('stream' in res ? res.stream.destroyed : res.destroyed);

const breakOff = (res: NodeOutgoing): void => {
  if ('stream' in res) res.stream.close(INTERNAL_ERROR);
  else res.destroy();
};

/** RFC 9113, 7 */
const INTERNAL_ERROR = 2;

/** Both kinds of answer have it, in signatures that the compiler cannot unite. */
const write = (res: NodeOutgoing, bytes: Uint8Array): boolean => ('stream' in res ? res.write(bytes) : res.write(bytes));

/** Waits until more can be written, or nothing more can. */
const drained = (res: NodeOutgoing): Promise<void> =>
  new Promise((resolve) => {
    const over = () => {
      res.off('drain', over).off('close', over);
      resolve();
    };
    res.on('drain', over).on('close', over);
  });
