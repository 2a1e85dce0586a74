import { readOnly, resource, sealed, string, timestamp } from './kit/index.ts';

/**
 * The answer to a call that was made with an idempotency key, so that the same call gets it again. The id is a hash of the key, of who made the call, and of
 * its operation.
 */
export const idempotencyKey = resource({
  kind: 'idempotencyKey',
  collection: 'idempotency-keys',
  names: ['IdempotencyKey', 'IdempotencyKeys'],
  about: 'An idempotency key is chosen by a caller, so that a call that is repeated with it is carried out once.',
  unrecorded: true,
  fields: {
    /** Who made the call. */
    caller: readOnly(string, { keep: 'hidden', index: true }),
    /** From then on, the key is as good as new. */
    expiresAt: readOnly(timestamp, { keep: 'hidden', index: true }),
    /** The answer, which may contain secrets, and a hash of the input, from which a password could be guessed. */
    sealed: sealed(string, ({ id }) => `idempotency:${id}`),
  },
});
