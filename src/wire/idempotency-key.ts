/** The form of an idempotency key. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
