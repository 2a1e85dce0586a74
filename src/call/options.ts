/** How one call is made. */
export interface CallOptions {
  /**
   * The host's own open transaction on the same database, in the form that the storage adapter takes. The host commits it, and then calls
   * `publish()`; when a call rejects, the host rolls back, for part of the call may be written. Leave it out for a call of its own: one that is named and
   * is none (`undefined` by mistake) is refused with a TypeError, for the call would be committed on its own.
   */
  readonly transaction?: unknown;
  /** Once aborted, nothing is committed any more. */
  readonly signal?: AbortSignal;
  /**
   * The version that the entity must still have (see `versionOf`): with another one the call changes nothing, and rejects with ApiError
   * `PRECONDITION_FAILED`. For `replace`, `patch` and `delete` of entities; elsewhere, and for what is no version (`undefined` by mistake), it is refused
   * with a TypeError, for the call would be made without condition.
   */
  readonly ifVersion?: number | undefined;
}
