import type { OperatingSystem } from '../../contract/api/posture-checks/os-type.ts';
import type { PostureQuery } from '../../contract/api/posture-queries.ts';
import type { Facts, PostureCheckOf, StoredPostureCheck } from './facts.ts';

/** The result of a check, with expected and actual values, as explanations and failed requests show them. */
export interface Evaluation {
  readonly isPassing: boolean;
  readonly expectedValue: unknown;
  readonly actualValue: unknown;
  /** When the check fails unless it is answered again. ms since 1970; undefined if its result does not depend on time. */
  readonly failsAt?: number;
  /** Properties that only this type has in answers, by their names there. */
  readonly extraProperties?: Readonly<Record<string, unknown>>;
}

/** An event on the endpoint. */
export interface EndpointEvent {
  readonly woken: boolean;
  readonly unlocked: boolean;
}

/** A warning that a check is about to fail. Times are in seconds. */
export interface Notice {
  /** -1 for no timeout. */
  readonly timeout: number;
  readonly timeoutRemaining: number;
}

/** A type of posture check: how it is presented, and how its checks are evaluated. All functions are pure; `now` is in ms since 1970. */
export interface CheckType<C extends StoredPostureCheck> {
  /** The name in `posture-check-types`. */
  readonly name: string;
  /** The operating systems that the type supports. */
  readonly operatingSystems: readonly OperatingSystem[];
  /** The fields that are stored in another form than in the body; undefined if there are none. */
  normalize?(check: C): Partial<C> | undefined;
  evaluate(check: C, facts: Facts, now: number): Evaluation;
  /** The fields of the posture query that only this type sets. */
  query?(check: C, facts: Facts, now: number): Partial<PostureQuery>;
  /** The notice to send if an event causes the check to fail soon unless it is answered again. */
  notice?(check: C, facts: Facts, event: EndpointEvent, now: number): Notice | undefined;
}

/** An entry for each type that the contract declares. */
export type CheckTypes = { readonly [T in StoredPostureCheck['typeId']]: CheckType<PostureCheckOf<T>> };
