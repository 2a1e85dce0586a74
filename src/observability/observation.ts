import { ApiError, type ErrorCode } from '../errors/index.ts';
import type { ActorKind, AuthenticationEvent, AuthenticationFailure, AuthenticationMethod, OperationEvent } from './events.ts';
import type { Observer } from './observer.ts';

/** Where a call comes from. */
interface Origin {
  readonly requestId: string;
  readonly transport: OperationEvent['transport'];
  readonly method: string;
  readonly remoteAddress: string;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** What it leads to. */
export type Destination = Pick<OperationEvent, 'operationId' | 'group' | 'surface' | 'route'> & {
  /** Whether it presents the token of an API session, which must then be good. */
  readonly presentsToken: boolean;
};

const NOWHERE: Destination = { operationId: undefined, group: undefined, surface: undefined, route: undefined, presentsToken: false };

/** HTTP's own methods: what else clients send is no label (OpenTelemetry, semantic conventions for HTTP). */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY']);

/** What is noted of one call on its way, where somebody observes. A class, for there is one for each request. */
export class Observation {
  readonly #observer: Observer;
  readonly #origin: Origin;
  readonly #startedAt: number;
  readonly #begun: number;
  #destination = NOWHERE;
  #actor: ActorKind = 'anonymous';
  #identityId: string | undefined;
  #failure: AuthenticationFailure | undefined;
  #code: ErrorCode | undefined;
  /** Whether a failed authentication was reported, which is why the call is refused. */
  #isReported = false;
  #statements = 0;
  #rows = 0;
  /** Waits that overlap count once. */
  #waits = 0;
  #waitingSince = 0;
  #queuedMs = 0;

  constructor(observer: Observer, origin: Origin) {
    this.#observer = observer;
    this.#origin = origin;
    this.#startedAt = observer.now();
    this.#begun = observer.elapsed();
  }

  leadsTo(destination: Destination): void {
    this.#destination = destination;
  }

  /** Who calls, once that is known. */
  by(actor: ActorKind, identityId: string | undefined): void {
    this.#actor = actor;
    this.#identityId = identityId;
  }

  /** @param rows that the store gave or changed */
  statement(rows: number): void {
    this.#statements++;
    this.#rows += rows;
  }

  /** Begins a wait for a turn. @returns what ends it; a second time it does nothing */
  wait(): () => void {
    if (this.#waits++ === 0) this.#waitingSince = this.#observer.elapsed();
    let isOver = false;
    return () => {
      if (!isOver && --this.#waits === 0) this.#queuedMs += this.#observer.elapsed() - this.#waitingSince;
      isOver = true;
    };
  }

  /** Why the login that is being tried fails, should it do so. The last word counts: a transaction may run twice. */
  failsAs(reason: AuthenticationFailure | undefined, identityId?: string): void {
    this.#failure = reason;
    this.#identityId = identityId;
  }

  /** Of a login that failed, `reason` is what `failsAs` was told, or that the credentials are wrong. */
  authentication(method: AuthenticationMethod, outcome: AuthenticationEvent['outcome'], identityId = this.#identityId): void {
    const reason = outcome === 'failed' ? (this.#failure ?? 'credentials') : undefined;
    if (reason) this.#isReported = true;
    this.#observer.report({ type: 'authentication', ...this.#source(), identityId, method, outcome, reason });
  }

  /** The answer will be a refusal. */
  refused(code: ErrorCode): void {
    this.#code = code;
  }

  /** The call is answered. @param status of HTTP */
  end(status: number): void {
    const { operationId, group, surface, route, presentsToken } = this.#destination;
    if (this.#code === 'UNAUTHORIZED' && operationId !== undefined && !this.#isReported) {
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
      group,
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

  /** The call was refused in process, where errors are thrown. */
  failed(error: unknown, isAborted: boolean): void {
    const known = error instanceof ApiError ? error : undefined;
    this.#code = known?.code ?? (isAborted ? 'TIMEOUT' : 'UNHANDLED');
    this.end(known?.status ?? (isAborted ? 503 : 500));
  }

  #source() {
    return { requestId: this.#origin.requestId, remoteAddress: this.#origin.remoteAddress };
  }
}
