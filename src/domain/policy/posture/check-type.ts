import type { OperatingSystem } from '../../../api/posture-checks/os-type.ts';
import type { PostureQuery } from '../../../api/posture-queries.ts';
import type { Facts, PostureCheckOf, StoredPostureCheck } from './facts.ts';

/** How a check stands, with what it asks for and what was reported, as explanations and failed requests show them. */
export interface Evaluation {
  readonly isPassing: boolean;
  readonly expectedValue: unknown;
  readonly actualValue: unknown;
  /** When it fails unless it is answered again, where time alone makes it fail. ms */
  readonly failsAt?: number;
  /** Further properties of a type, by their name on the wire. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** An event on the endpoint. */
export interface EndpointEvent {
  readonly woken: boolean;
  readonly unlocked: boolean;
}

/** Seconds. */
export interface Notice {
  /** -1 for none. */
  readonly timeout: number;
  readonly timeoutRemaining: number;
}

/** One type of posture check: what the controller shows of it, and how its checks are judged. Pure functions; `now` is in ms since 1970. */
export interface CheckType<C extends StoredPostureCheck> {
  /** As administrators read it in `posture-check-types`. */
  readonly name: string;
  /** The systems on which it is offered. */
  readonly operatingSystems: readonly OperatingSystem[];
  /** Fields of a check that are stored in another form than in its body. */
  normalize?(check: C): Partial<C> | undefined;
  evaluate(check: C, facts: Facts, now: number): Evaluation;
  /** Fields of the posture query beyond those of all queries. */
  query?(check: C, facts: Facts, now: number): Partial<PostureQuery>;
  /** The notice to send if an event makes the check fail soon unless it is answered again. */
  notice?(check: C, facts: Facts, event: EndpointEvent, now: number): Notice | undefined;
}

/** A row for each type that the contract declares. */
export type CheckTypes = { readonly [T in StoredPostureCheck['typeId']]: CheckType<PostureCheckOf<T>> };
