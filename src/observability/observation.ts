import { ApiError, type ErrorCode } from '../errors/index.ts';
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
export type Destination = Pick<OperationEvent, 'operationId' | 'operation' | 'surface' | 'route'> & {
  /** True if it presents a token of an API session. */
  readonly presentsToken: boolean;
};

const NOWHERE: Destination = { operationId: undefined, operation: undefined, surface: undefined, route: undefined, presentsToken: false };

/** Other methods become `_OTHER`, because clients must not create labels (OpenTelemetry semantic conventions for HTTP). */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY']);

/** Collects the measurements of one observed call. A class, because there is one per request. */
export class Observation {
  readonly #observer: Observer;
  readonly #origin: Origin;
  readonly #startedAt: number;
  readonly #begun: number;
  #destination = NOWHERE;
  #actor: ActorKind = 'anonymous';
  #identityId: string | undefined;
  #failure: AuthenticationFailure | undefined;
  #signerId: string | undefined;
  #code: ErrorCode | undefined;
  /** The method of the failed authentication that was reported. */
  #failed: AuthenticationMethod | undefined;
  #statements = 0;
  #rows = 0;
  /** Overlapping waits count once. */
  #waits = 0;
  #waitingSince = 0;
  #queuedMs = 0;

  constructor(observer: Observer, origin: Origin) {
    this.#observer = observer;
    this.#origin = origin;
    this.#startedAt = observer.now();
    this.#begun = observer.elapsed();
  }

  setDestination(destination: Destination): void {
    this.#destination = destination;
  }

  /** Sets the actor, once authenticated. */
  by(actor: ActorKind, identityId: string | undefined): void {
    this.#actor = actor;
    this.#identityId = identityId;
  }

  /** @param rows read or written */
  statement(rows: number): void {
    this.#statements++;
    this.#rows += rows;
  }

  /** Begins a wait in a queue. @returns ends it; idempotent */
  wait(): () => void {
    if (this.#waits++ === 0) this.#waitingSince = this.#observer.elapsed();
    let isOver = false;
    return () => {
      if (!isOver && --this.#waits === 0) this.#queuedMs += this.#observer.elapsed() - this.#waitingSince;
      isOver = true;
    };
  }

  /** Sets the reason in case the current login fails. The last call counts, because a transaction may be retried. */
  failsAs(reason: AuthenticationFailure | undefined, identityId?: string, signerId?: string): void {
    this.#failure = reason;
    this.#identityId = identityId;
    this.#signerId = signerId;
  }

  /**
   * Emits an authentication event, one failure of a method in a call: a token that fails as the second factor that is owed is tried as a login, too. The
   * reason of a failure is that of `failsAs`; default `credentials`.
   */
  authentication(method: AuthenticationMethod, outcome: AuthenticationEvent['outcome'], identityId = this.#identityId): void {
    const reason = outcome === 'failed' ? (this.#failure ?? 'credentials') : undefined;
    const signerId = outcome === 'failed' ? this.#signerId : undefined;
    if (reason && this.#failed === method) return;
    if (reason) this.#failed = method;
    this.#observer.report({ type: 'authentication', ...this.#source(), identityId, method, outcome, reason, signerId });
  }

  /** Sets the error code of a refusal. */
  refused(code: ErrorCode): void {
    this.#code = code;
  }

  /** Emits the operation event. @param status of HTTP */
  end(status: number): void {
    const { operationId, operation, surface, route, presentsToken } = this.#destination;
    if (this.#code === 'UNAUTHORIZED' && operationId !== undefined && this.#failed === undefined) {
      if (this.#actor !== 'anonymous')
        this.#observer.report({
          type: 'authorization',
          ...this.#source(),
          identityId: this.#identityId,
          outcome: 'denied',
          operationId,
          actor: this.#actor,
        });
      else if (presentsToken) {
        this.#failure = 'invalid-token';
        this.authentication('token', 'failed');
      }
    }
    const { requestId, transport, method, traceparent, tracestate } = this.#origin;
    const ended = this.#observer.elapsed();
    this.#observer.emit({
      type: 'operation',
      requestId,
      transport,
      method: METHODS.has(method) ? method : '_OTHER',
      operationId,
      operation,
      surface,
      route,
      status,
      code: this.#code,
      actor: this.#actor,
      startedAt: this.#startedAt,
      durationMs: ended - this.#begun,
      queuedMs: this.#queuedMs + (this.#waits > 0 ? ended - this.#waitingSince : 0),
      statements: this.#statements,
      rows: this.#rows,
      traceparent,
      tracestate,
    });
  }

  /** Like `end`, for an in-process call that threw. */
  failed(error: unknown, isAborted: boolean): void {
    const known = error instanceof ApiError ? error : undefined;
    this.#code = known?.code ?? (isAborted ? 'TIMEOUT' : 'UNHANDLED');
    this.end(known?.status ?? (isAborted ? 503 : 500));
  }

  #source() {
    return { requestId: this.#origin.requestId, remoteAddress: this.#origin.remoteAddress };
  }
}
