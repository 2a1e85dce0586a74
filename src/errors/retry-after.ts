/** Seconds after which it is worth trying again, where nothing says when: `retryAfter` of errors, `Retry-After` over HTTP. */
export const RETRY_AFTER = {
  /** Too much is going on at once: places become free all the time. */
  busy: 1,
  /** The store, or another system that the controller needs, does not answer. */
  away: 5,
  /** A session holds all that it may hold: only expiry makes room. */
  quota: 3600,
} as const;
