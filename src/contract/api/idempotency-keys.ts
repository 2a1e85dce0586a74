import { readOnly, resource, sealed, string, timestamp } from './kit/index.ts';

/**
 * The stored answer to a call with an idempotency key, which is returned again if the call is repeated. The id is a hash of the key, the
 * caller and the operation.
 */
export const idempotencyKey = resource({
  kind: 'idempotencyKey',
  collection: 'idempotency-keys',
  names: ['IdempotencyKey', 'IdempotencyKeys'],
  about: 'An idempotency key is chosen by the caller. A call that is repeated with the same key is carried out only once.',
  unrecorded: true,
  fields: {
    caller: readOnly(string, { keep: 'hidden', index: true }),
    /** When the key expires and may be reused. */
    expiresAt: readOnly(timestamp, { keep: 'hidden', index: true }),
    /** The answer and a hash of the input, encrypted: the answer may contain secrets, and the hash could reveal a password to guessing. */
    sealed: sealed(string, ({ id }) => `idempotency:${id}`),
  },
});
