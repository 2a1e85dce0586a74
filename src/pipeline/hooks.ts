import type { Attribution } from '../api/kit/attribution.ts';
import type { Change } from '../changelog/events.ts';
import type { OperationInput, OperationName } from './operation-name.ts';
import type { Principal } from './principal.ts';

/** The call of a hook: who makes it and why, and when it no longer counts. */
export interface HookedCall extends Attribution<Principal> {
  /** Aborted when the caller waits no longer. */
  readonly signal: AbortSignal;
}

/**
 * An operation by its name in the API, what it takes, and the call: a union, so that the name narrows the input. A function that takes it names all three
 * parameters, since TypeScript compares their number.
 */
export type BeforeArguments = {
  readonly [N in OperationName]: [operation: N, input: OperationInput<N>, call: HookedCall];
}[OperationName];

/** Extension points for the host's own rules, over HTTP and in process alike. The hooks' own calls to the controller go through them too. */
export interface Hooks {
  /**
   * Runs before an operation, once its input was checked and the caller may call it. May refuse by throwing an ApiError, such as
   * `invalidField('name', 'must begin with the team', name)`; any other error is 500 to clients, and logged. May return another input, or a promise of
   * one, which is checked in turn; `undefined` leaves it as it is; changes of the input that it was given have no effect.
   */
  before?(...call: BeforeArguments): unknown;
  /**
   * Runs for each change once the controller is open, in the transaction that makes it: what it does with `transaction` is committed or rolled back with the change, and when it throws,
   * nothing is written. Other writers wait for it, so it should do nothing but write.
   * @param context.transaction what the option `transaction` of calls takes: the store's own transaction, or the host's, if the call has joined it
   */
  inTransaction?(change: Change, context: { readonly transaction: unknown }): void | Promise<void>;
  /** Runs for each change once it is committed, as a listener to `change` does. It is not waited for, and when it throws, that is logged and no more. */
  afterCommit?(change: Change): void | Promise<void>;
}
