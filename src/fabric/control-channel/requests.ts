import { after } from '../../runtime/platform/clock.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import type { Frame } from './frame.ts';
import { header } from './header-fields.ts';

/** The request timed out. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Pending requests. */
export interface Requests {
  /**
   * Waits for the answer to the request with this sequence number.
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
  const pending = new Map<number, { resolve(answer: Frame): void; reject(reason: Error): void }>();
  let closed: Error | undefined;
  return {
    answer: (sequence, milliseconds) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closed);
        const settle = () => {
          cancel();
          pending.delete(sequence);
        };
        const cancel = after(clock, milliseconds, () => {
          settle();
          reject(new Unanswered(`there was no answer for ${milliseconds / 1000} s`));
        });
        pending.set(sequence, {
          resolve: (answer) => {
            settle();
            resolve(answer);
          },
          reject: (reason) => {
            settle();
            reject(reason);
          },
        });
      }),
    received: (frame) => {
      const sequence = header.replyFor.in(frame);
      const request = sequence === undefined ? undefined : pending.get(sequence);
      request?.resolve(frame);
      return request !== undefined;
    },
    close: (reason) => {
      closed = reason;
      for (const request of [...pending.values()]) request.reject(reason);
    },
  };
};
