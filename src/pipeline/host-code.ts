import { explained } from '../errors/index.ts';
import { pause, systemClock } from '../platform/clock.ts';

/** How long a batch waits for the host's own code. ms */
const MAX_WAIT_MS = 5000;

/**
 * Waits for the answer of the host's own code. Within the transaction of a batch it waits for a limited time, because code that itself waits for the
 * transaction, such as a write through the controller, would never answer.
 * @throws ApiError `CONFLICT` after that time
 */
export const answerOfHost = async <T>(answer: T | Promise<T>, isInTransaction: boolean): Promise<T> => {
  if (!isInTransaction) return answer;
  const answered = new AbortController();
  const late = pause(systemClock, MAX_WAIT_MS, answered.signal).then((): never => {
    throw explained(
      'CONFLICT',
      `code of the host took longer than ${MAX_WAIT_MS} ms within a batch: it must not write through the controller`,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    answered.abort();
    late.catch(() => undefined);
  }
};
