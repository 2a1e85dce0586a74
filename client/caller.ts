import type { ServerSentEvent } from '../src/contract/api/surfaces/http-output.ts';
import type { SurfaceName } from '../src/contract/api/surfaces/index.ts';
import { checkIfVersion } from '../src/contract/if-version.ts';
import { checkedOptions, refuseUnknownInput } from '../src/contract/options.ts';
import { follow } from './follow.ts';
import { remoteOperations } from './operations.ts';
import type { RemoteOperation } from './remote-operation.ts';
import { createRequest, inputNamesOf, supportsVersion } from './request.ts';
import { type ClientCredentials, type ClientSession, createSession } from './session.ts';
import { SessionRefused, type Transport } from './transport.ts';

/** Options of a single call. */
export interface RemoteCallOptions {
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have, as in process: `undefined`, which `versionOf` returns for an object that has lost its
   * version, throws a TypeError. Such a request is not retried after a 503, or if there is no answer.
   */
  readonly ifVersion?: number | undefined;
  /**
   * A key for a POST operation, as in process. Requests with a key are also retried after a 503, if there is no answer, and while an
   * earlier attempt is in progress.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * True for a dry run, as in process: the call resolves to a `Preview` of its answer; `previewing(client)` has the matching types.
   */
  readonly preview?: true | undefined;
  /** Maximum number of losses of access that the call may cause, as in process. */
  readonly maxLost?: number | undefined;
  /** The reason for the call, kept in change records, as in process. */
  readonly reason?: string | undefined;
  /** True to carry the call out even if policy tests would then fail, as in process. */
  readonly overrideTests?: true | undefined;
}

const CALL_OPTIONS = {
  signal: true,
  ifVersion: true,
  preview: true,
  idempotencyKey: true,
  maxLost: true,
  overrideTests: true,
  reason: true,
} as const;

/** Calls operations of a remote controller in one session. */
export class Caller {
  readonly #send: Transport;
  readonly #api: SurfaceName;
  readonly #session: ClientSession;

  constructor(send: Transport, api: SurfaceName, credentials: ClientCredentials | undefined) {
    this.#send = send;
    this.#api = api;
    this.#session = createSession(credentials, async (method, body, headers) => {
      const login = remoteOperations.authentication?.authenticate as RemoteOperation; // the table has it
      const opened = await send(login, createRequest(login, { method, body }, api), headers);
      return (opened as { readonly token: string }).token; // its declared answer
    });
  }

  /** @throws ApiError; TypeError for unknown input or options */
  async call(operation: RemoteOperation, input: object, options: RemoteCallOptions): Promise<unknown> {
    const { operationId } = operation;
    checkedOptions(operationId, options, CALL_OPTIONS);
    if ('ifVersion' in options) checkIfVersion(operationId, supportsVersion(operation), options.ifVersion);
    refuseUnknownInput(operationId, input, inputNamesOf(operation));
    options.signal?.throwIfAborted();
    try {
      return await this.#callInSession(operation, input, options);
    } catch (error) {
      throw error instanceof SessionRefused ? error.refusal : error;
    }
  }

  /**
   * Iterates over the items of an operation that answers with events.
   * @param wait waits before a reconnection
   */
  follow(
    operation: RemoteOperation,
    { signal, ...input }: { readonly signal?: AbortSignal },
    wait: (milliseconds: number) => Promise<void>,
  ): AsyncIterable<unknown> {
    // The operation declares that it answers with events.
    const connect = (lastEventId: string | undefined) =>
      this.call(operation, operation.headers ? { ...input, lastEventId } : input, signal ? { signal } : {}) as Promise<
        AsyncIterable<ServerSentEvent>
      >;
    return { [Symbol.asyncIterator]: () => follow({ connect, wait, signal }) };
  }

  /** Calls an operation, and repeats the call once in a new session if the session has ended. */
  async #callInSession(operation: RemoteOperation, input: object, { signal, ...options }: RemoteCallOptions): Promise<unknown> {
    const request = createRequest(operation, { ...input }, this.#api, options);
    const headers = operation.isOpen ? {} : await this.#session.headers();
    try {
      return await this.#send(operation, request, headers, signal);
    } catch (error) {
      if (!(error instanceof SessionRefused) || !this.#session.discard(headers)) throw error;
      return this.#send(operation, request, await this.#session.headers(), signal);
    }
  }
}
