import type { NodeOutgoing } from './node-request.ts';
import { breakOff } from './node-stream.ts';

/** Limit of answers that clients have not read yet. Beyond it, the oldest is broken off: those who read do so quickly, and others must not fill the memory. */
export interface AnswerLimits {
  /** Maximum of bytes held for them. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
}

/** The names of `AnswerLimits`, for checking options. */
export const ANSWER_LIMITS = { maxUnreadBytes: true } as const;

/** The whole answers of a server that are on their way. Streamed ones have backpressure. */
export interface UnreadAnswers {
  /** Notes an answer that has been passed to Node. */
  add(res: NodeOutgoing, bytes: number): void;
}

/** Bytes. Shorter answers are not counted: the buffers of their connection take them. */
const SHORT = 16_384;

export const createUnreadAnswers = (maxUnreadBytes = 256 * 1024 * 1024): UnreadAnswers => {
  /** Oldest first. */
  const unread = new Map<NodeOutgoing, number>();
  let sum = 0;
  const remove = (res: NodeOutgoing): void => {
    sum -= unread.get(res) ?? 0;
    unread.delete(res);
  };
  return {
    add: (res, bytes) => {
      if (bytes < SHORT) return;
      unread.set(res, bytes);
      sum += bytes;
      res.once('close', () => remove(res));
      for (const oldest of unread.keys()) {
        if (sum <= maxUnreadBytes) return;
        remove(oldest);
        breakOff(oldest);
      }
    },
  };
};
