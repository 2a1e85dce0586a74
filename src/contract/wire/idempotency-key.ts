/** The format of idempotency keys. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
