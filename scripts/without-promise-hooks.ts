/**
 * Saves a quarter of the processor time of the tests. The test runner of Node follows each promise by an asynchronous hook, to name the test that an error
 * belongs to which nobody awaits. Without it, such an error fails the process instead of the test. The runner has no option for this, so its hook is found by
 * its callback `destroy` and told not to observe promises, as `createHook` has it by the property `kNoPromiseHook`. A release of Node without that
 * property runs the same tests more slowly.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';

const prototype: AsyncHook = Object.getPrototypeOf(createHook({}));
const { enable } = prototype;

prototype.enable = function (this: AsyncHook & Record<symbol, unknown>): AsyncHook {
  const property = (name: string) => Object.getOwnPropertySymbols(this).find(({ description }) => description === name);
  const [destroy, noPromiseHook] = [property('destroy'), property('kNoPromiseHook')];
  if (destroy && this[destroy] && noPromiseHook) this[noPromiseHook] = true;
  return enable.call(this);
};
