/** How one call is made. */
export interface CallOptions {
  /**
   * The host's own open transaction on the same database, in the form that the storage adapter takes. The host commits it and then calls `publish()`;
   * if a call rejects, the host must roll back, because part of the call may be written. Omit it for a transaction of the call's own: an `undefined`
   * by mistake is refused with a TypeError, because the call would be committed on its own.
   */
  readonly transaction?: unknown;
  /** Once aborted, nothing is committed any more. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`): otherwise the call changes nothing and rejects with ApiError
   * `PRECONDITION_FAILED`. For `replace`, `patch` and `delete` of entities; with other operations, or without a version (`undefined` by mistake), it
   * is refused with a TypeError, because the call would be unconditional.
   */
  readonly ifVersion?: number | undefined;
}
