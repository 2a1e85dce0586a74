import type { OperatingSystem } from '../../../api/posture-checks/os-type.ts';
import type { PostureQuery } from '../../../api/posture-queries.ts';
import type { Facts, PostureCheckOf, StoredPostureCheck } from './facts.ts';

/** The result of a check, with expected and actual values, as explanations and failed requests show them. */
export interface Evaluation {
  readonly isPassing: boolean;
  readonly expectedValue: unknown;
  readonly actualValue: unknown;
  /** The time at which the check will fail unless it is answered again; undefined if it does not depend on time. ms */
  readonly failsAt?: number;
  /** Additional properties of a type, by their names on the wire. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** An event on the endpoint. */
export interface EndpointEvent {
  readonly woken: boolean;
  readonly unlocked: boolean;
}

/** A warning that a check will soon fail. Times are in seconds. */
export interface Notice {
  /** -1 for no timeout. */
  readonly timeout: number;
  readonly timeoutRemaining: number;
}

/** A type of posture check: how it is presented, and how its checks are evaluated. All functions are pure; `now` is in ms since 1970. */
export interface CheckType<C extends StoredPostureCheck> {
  /** The name that administrators see in `posture-check-types`. */
  readonly name: string;
  /** The operating systems on which it is offered. */
  readonly operatingSystems: readonly OperatingSystem[];
  /** Fields of a check that are stored in a different form from its body. */
  normalize?(check: C): Partial<C> | undefined;
  evaluate(check: C, facts: Facts, now: number): Evaluation;
  /** Fields of the posture query in addition to the common ones. */
  query?(check: C, facts: Facts, now: number): Partial<PostureQuery>;
  /** The notice to send if an event makes the check fail soon unless it is answered again. */
  notice?(check: C, facts: Facts, event: EndpointEvent, now: number): Notice | undefined;
}

/** An entry for each type that the contract declares. */
export type CheckTypes = { readonly [T in StoredPostureCheck['typeId']]: CheckType<PostureCheckOf<T>> };
