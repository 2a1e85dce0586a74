import { acceptsIdempotencyKey, isPreviewable } from '../call/batchable.ts';
import type { Operation } from '../contract/api/kit/operation.ts';
import { CHANGE_REASON } from '../contract/wire/change-reason.ts';

/** A request header that many operations accept. */
export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly accepts: (operation: Operation) => boolean;
}

const isWrite = ({ method, permission }: Operation): boolean => method !== 'GET' && permission.includes('.');

/** Request headers by the operations that accept them. The API descriptions and CORS are derived from this table. */
export const requestHeaders: readonly RequestHeader[] = [
  {
    name: 'if-match',
    description: 'Entity tags from the header `etag`, or versions such as `"12"`. If none of them is current, the answer is 412.',
    accepts: ({ isConditional }) => isConditional === true,
  },
  {
    name: 'prefer',
    description: '`dry-run` executes the operation in a transaction that is rolled back, and returns its effects (RFC 7240).',
    accepts: isPreviewable,
  },
  {
    name: 'idempotency-key',
    description:
      'A key of the caller’s choice, 1 to 255 printable characters. A request that is repeated with its key is executed once, and gets the same answer; another request with the key gets 422.',
    accepts: acceptsIdempotencyKey,
  },
  { name: CHANGE_REASON, description: 'The reason for the change, for its change record: at most 1,000 characters.', accepts: isWrite },
  {
    name: 'x-max-lost',
    description: 'Maximum number of pairs of an identity and a service that may lose access. If there are more, the answer is 409.',
    accepts: isPreviewable,
  },
  {
    name: 'x-override-policy-tests',
    description: '`true` executes the operation even if policy tests fail. Requires `x-change-reason`.',
    accepts: isPreviewable,
  },
];
