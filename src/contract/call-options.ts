/** The options of one call. */
export interface CallOptions {
  /**
   * An open transaction of the host on the same database, in the form that the storage adapter expects. The host commits it and then calls
   * `publish()`; if a call rejects, the host must roll back, because part of the call may have been written. Without this option, the call
   * runs in a separate transaction. An explicit `undefined` throws a TypeError: it is probably a mistake, and the call would be committed
   * on its own.
   */
  readonly transaction?: unknown;
  /** After an abort, nothing more is committed. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`). Otherwise the call changes nothing and rejects with ApiError
   * `PRECONDITION_FAILED`. Only for `replace`, `patch` and `delete` of entities: other operations throw a TypeError. The type includes
   * `undefined` only because `versionOf` returns it for an object that has lost its version. The call then throws a TypeError, too, because
   * it would be unconditional.
   */
  readonly ifVersion?: number | undefined;
  /**
   * The host's own name for the actor, kept in change records instead of `system`: a scheme, a colon and a name, such as `sso:123`, so
   * that it cannot be mistaken for the id of an identity. At most 256 characters. It does not affect the rights of the call, but is passed
   * to the option `authorize` of `open`.
   */
  readonly actor?: string | undefined;
  /** The person or system on whose behalf the actor makes the call, kept in change records. At most 256 characters. */
  readonly onBehalfOf?: string | undefined;
  /** The reason for the call, kept in change records. At most 1,000 characters. */
  readonly reason?: string | undefined;
  /**
   * True for a dry run: the call runs in a transaction that is rolled back, so that nothing is written, no event is emitted, no `after`
   * hook runs, and no session ends. The call then resolves to a `Preview` of its answer; `previewing(api)` has the matching types.
   * Supported by operations that write and require a right; others reject the option.
   */
  readonly preview?: true | undefined;
  /**
   * A key that the caller chooses for a POST operation, 1 to 255 visible ASCII characters. If the call is repeated with the same key and
   * input within a day, e.g. because its answer was lost, it is not carried out again, and returns the same answer, without secrets that
   * are returned only once. With a different input, or while the first call is in progress, the repeated call is rejected.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Maximum number of losses of access that the call may cause: identities that can no longer dial or bind a service, counted per service
   * and type. If it would cause more, the call rejects with `ACCESS_LOST` and the list of losses, and nothing is written. Default: no
   * limit.
   */
  readonly maxLost?: number | undefined;
  /**
   * True to carry the call out even if policy tests would then fail. Requires a `reason`, which is recorded, and the rights of an
   * administrator. Default: false.
   */
  readonly overrideTests?: true | undefined;
  /** The host's id for the request, kept in change records and logs: at most 128 visible ASCII characters. Default: a random id. */
  readonly requestId?: string | undefined;
}

/** The options of a read of a past state. */
export type PastOptions = Omit<CallOptions, 'transaction' | 'ifVersion' | 'preview' | 'maxLost' | 'overrideTests'>;
