import { after } from '../platform/clock.ts';
import type { Clock } from '../platform/platform.ts';
import type { Frame } from './frame.ts';
import { header } from './header-fields.ts';

/** The request timed out. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Pending requests. */
export interface Requests {
  /**
   * The answer to the request with this number.
   * @param milliseconds timeout
   * @throws Unanswered; the reason of `close`
   */
  answer(sequence: number, milliseconds: number): Promise<Frame>;
  /** @returns true if the frame answers a pending request */
  received(frame: Frame): boolean;
  /** Rejects all pending and later requests. */
  close(reason: Error): void;
}

export const createRequests = (clock: Clock): Requests => {
  const waiting = new Map<number, { resolve(answer: Frame): void; reject(reason: Error): void }>();
  let closed: Error | undefined;
  return {
    answer: (sequence, milliseconds) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closed);
        const over = () => {
          cancel();
          waiting.delete(sequence);
        };
        const cancel = after(clock, milliseconds, () => {
          over();
          reject(new Unanswered(`there was no answer for ${milliseconds / 1000} s`));
        });
        waiting.set(sequence, {
          resolve: (answer) => {
            over();
            resolve(answer);
          },
          reject: (reason) => {
            over();
            reject(reason);
          },
        });
      }),
    received: (frame) => {
      const to = header.replyFor.in(frame);
      const request = to === undefined ? undefined : waiting.get(to);
      request?.resolve(frame);
      return request !== undefined;
    },
    close: (reason) => {
      closed = reason;
      for (const request of [...waiting.values()]) request.reject(reason);
    },
  };
};
