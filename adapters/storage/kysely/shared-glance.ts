/** One answer for all who ask at the same time, where each question is a round trip. */

/** Milliseconds after which those who wait do not wait on for an answer that may never come, and ask on another connection. */
const PATIENCE = 100;

/**
 * Who asks while an earlier question is under way waits for its end, and shares one new question with all who have come until then: every answer is to a
 * question that was asked after its caller had come.
 * @param ask asks the question, on a connection of its own
 */
export const sharedGlance = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const answer = ask();
    const over = answer.then(ignored, ignored).then(() => {
      if (underWay === over) underWay = undefined;
    });
    underWay = over;
    return answer;
  };
  const after = async (earlier: Promise<unknown>): Promise<T> => {
    await patiently(earlier);
    next = undefined;
    return begin();
  };
  return () => next ?? (underWay ? (next = after(underWay)) : begin());
};

const patiently = (work: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

const ignored = (): void => undefined;
