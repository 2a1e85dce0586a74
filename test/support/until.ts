import assert from 'node:assert/strict';

/** Turns of the event loop that something may take which nothing else tells the end of. */
const MOST = 5000;

/** Waits until `isSo`, looking again at each turn of the event loop. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; !(await isSo()); turn++) {
    assert.ok(turn < MOST, `it did not come to be so: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
};
