/** Counts the turns of the event loop that others have, until it is disposed of. */
export const countTurns = () => {
  let [turns, isOver] = [0, false];
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    get turns() {
      return turns;
    },
    [Symbol.dispose]: () => {
      isOver = true;
    },
  };
};
