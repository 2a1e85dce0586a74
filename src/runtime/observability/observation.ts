import { ApiError, type ErrorCode } from '../../contract/errors/index.ts';
import type { ActorKind, AuthenticationEvent, AuthenticationFailure, AuthenticationMethod, OperationEvent } from './events.ts';
import type { Observer } from './observer.ts';

/** The origin of a call. */
interface Origin {
  readonly requestId: string;
  readonly transport: OperationEvent['transport'];
  readonly method: string;
  readonly remoteAddress: string;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The operation that a call invokes. */
export type Destination = Pick<OperationEvent, 'operationId' | 'operation' | 'surface' | 'route'>;

const NO_DESTINATION: Destination = {
  operationId: undefined,
  operation: undefined,
  surface: undefined,
  route: undefined,
};

/** All other methods become `_OTHER`, so that clients cannot create new labels (OpenTelemetry semantic conventions for HTTP). */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY']);

/** Collects the measurements of one observed call. */
export class Observation {
  readonly #observer: Observer;
  readonly #origin: Origin;
  readonly #startedAt: number;
  readonly #startElapsed: number;
  #destination = NO_DESTINATION;
  #presentsToken = false;
  #actor: ActorKind = 'anonymous';
  #identityId: string | undefined;
  #failure: AuthenticationFailure | undefined;
  #signerId: string | undefined;
  #code: ErrorCode | undefined;
  /** The method of the last reported authentication failure. */
  #failedMethod: AuthenticationMethod | undefined;
  #statements = 0;
  #rows = 0;
  /** Number of current waits. Time during which waits overlap is counted once. */
  #waits = 0;
  #waitingSince = 0;
  #queuedMs = 0;

  constructor(observer: Observer, origin: Origin) {
    this.#observer = observer;
    this.#origin = origin;
    this.#startedAt = observer.now();
    this.#startElapsed = observer.elapsed();
  }

  /** @param presentsToken true if the call presents a token of an API session */
  setDestination(destination: Destination, presentsToken: boolean): void {
    this.#destination = destination;
    this.#presentsToken = presentsToken;
  }

  /** Sets the actor after authentication. */
  setActor(actor: ActorKind, identityId?: string): void {
    this.#actor = actor;
    this.#identityId = identityId;
  }

  /**
   * Counts a statement.
   * @param rows number of rows read or written
   */
  statement(rows: number): void {
    this.#statements++;
    this.#rows += rows;
  }

  /**
   * Begins a wait in a queue.
   * @returns an idempotent function that ends the wait
   */
  wait(): () => void {
    if (this.#waits++ === 0) this.#waitingSince = this.#observer.elapsed();
    let isOver = false;
    return () => {
      if (!isOver && --this.#waits === 0) this.#queuedMs += this.#observer.elapsed() - this.#waitingSince;
      isOver = true;
    };
  }

  /** Sets the reason to report if the current login fails. Replaces an earlier reason, because a transaction may be retried. */
  setFailureReason(reason: AuthenticationFailure | undefined, identityId?: string, signerId?: string): void {
    this.#failure = reason;
    this.#identityId = identityId;
    this.#signerId = signerId;
  }

  /**
   * Emits an authentication event. Only one failure per method is reported in a call, because a token that fails as the required second
   * factor is also tried as a login. The reason for a failure comes from `setFailureReason`. Default: `credentials`.
   */
  authentication(method: AuthenticationMethod, outcome: AuthenticationEvent['outcome'], identityId = this.#identityId): void {
    const reason = outcome === 'failed' ? (this.#failure ?? 'credentials') : undefined;
    const signerId = outcome === 'failed' ? this.#signerId : undefined;
    if (reason && this.#failedMethod === method) return;
    if (reason) this.#failedMethod = method;
    this.#observer.report({ type: 'authentication', ...this.#source(), identityId, method, outcome, reason, signerId });
  }

  /** Sets the error code of the answer. */
  setErrorCode(code: ErrorCode): void {
    this.#code = code;
  }

  /**
   * Emits the operation event.
   * @param status HTTP status
   */
  end(status: number): void {
    if (this.#code === 'UNAUTHORIZED') this.#reportDenial();
    const { requestId, transport, method, traceparent, tracestate } = this.#origin;
    const ended = this.#observer.elapsed();
    this.#observer.emit({
      type: 'operation',
      requestId,
      transport,
      method: METHODS.has(method) ? method : '_OTHER',
      ...this.#destination,
      status,
      code: this.#code,
      actor: this.#actor,
      startedAt: this.#startedAt,
      durationMs: ended - this.#startElapsed,
      queuedMs: this.#queuedMs + (this.#waits > 0 ? ended - this.#waitingSince : 0),
      statements: this.#statements,
      rows: this.#rows,
      traceparent,
      tracestate,
    });
  }

  /** Like `end`, for an in-process call that threw. */
  endWithError(error: unknown, isAborted: boolean): void {
    const apiError = error instanceof ApiError ? error : undefined;
    this.#code = apiError?.code ?? (isAborted ? 'TIMEOUT' : 'UNHANDLED');
    this.end(apiError?.status ?? (isAborted ? 503 : 500));
  }

  /** Reports that the actor was denied the operation, or that the token of the call is invalid. */
  #reportDenial(): void {
    const { operationId } = this.#destination;
    if (operationId === undefined || this.#failedMethod !== undefined) return;
    const [identityId, actor] = [this.#identityId, this.#actor];
    if (actor !== 'anonymous')
      this.#observer.report({ type: 'authorization', ...this.#source(), identityId, outcome: 'denied', operationId, actor });
    else if (this.#presentsToken) {
      this.#failure = 'invalid-token';
      this.authentication('token', 'failed');
    }
  }

  #source() {
    return { requestId: this.#origin.requestId, remoteAddress: this.#origin.remoteAddress };
  }
}
