import type { Attribution } from '../../contract/api/kit/attribution.ts';
import type { Change } from '../../contract/changes/events.ts';
import type { NetworkEvent } from '../../contract/network-events/kinds.ts';
import type { OperationInput, OperationName } from './operation-name.ts';
import type { Principal } from './principal.ts';

/** The call that a hook runs for: who makes it and why, and a signal that ends it. */
export interface HookedCall extends Attribution<Principal> {
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/**
 * The arguments of the hook `before`: the operation's name in the API, its input, and the call. They form a union, so that the name narrows
 * the type of the input. A function that is used as the hook must declare all three parameters, because TypeScript compares their number.
 */
export type BeforeArguments = {
  readonly [N in OperationName]: [operation: N, input: OperationInput<N>, call: HookedCall];
}[OperationName];

/**
 * Extension points for the host's own rules. They run for calls over HTTP and in process, including calls that the hooks themselves make.
 */
export interface Hooks {
  /**
   * Runs before an operation, after its input and the caller's permission have been checked. To refuse the call, it throws an ApiError,
   * such as `invalidField('name', 'must begin with the team', name)`; any other error is logged, and clients get 500. It may return a
   * replacement for the input, or a promise of one, which is checked in turn; `undefined` keeps the input. Mutating the given input has no
   * effect. No transaction of the controller is open while it runs. In a call with the option `transaction`, it must pass that on, and may
   * take 5 seconds.
   */
  before?(...call: BeforeArguments): unknown;
  /**
   * Runs for each change, once the controller is open, in the transaction that makes the change. What it writes with `transaction` is
   * committed or rolled back with the change; if it throws, nothing is written. Other writers wait for it, so it should do nothing but
   * write. A call without `transaction` would wait for the transaction, and is refused after `lockTimeout`.
   * @param context.transaction in the form of the call option `transaction`: the store's own transaction, or the host's if the call has
   * joined it
   */
  inTransaction?(change: Change, context: { readonly transaction: unknown }): void | Promise<void>;
  /**
   * Runs for each change after it is committed, like a listener to `change`. Nothing waits for it, and an error that it throws is only
   * logged.
   */
  afterCommit?(change: Change): void | Promise<void>;
  /**
   * Runs when usage exceeds a quota of the option `usageQuotas`, at the controller that counted it: once for each identity or service in
   * the period, also with several controllers. Nothing waits for it, and an error that it throws is only logged. If the process ends
   * right after the usage is counted, it is not called again.
   */
  quotaExceeded?(quota: NetworkEvent<'quota'>): void | Promise<void>;
}
