/**
 * Measures what others wait for: the processor time of this thread between two turns of the event loop, until it is disposed of. Other than
 * the time of a clock, it is the same on a busy machine.
 */
export const turnCost = () => {
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longest, before, isOver] = [0, now(), false];
  const next = () => {
    const at = now();
    longest = Math.max(longest, at - before);
    before = at;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    /** Milliseconds of the longest turn. */
    get longest() {
      return longest;
    },
    [Symbol.dispose]: () => {
      isOver = true;
    },
  };
};
