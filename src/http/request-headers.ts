import type { Operation } from '../api/kit/operation.ts';
import { isPreviewable, takesKey } from '../call/batchable.ts';
import { CHANGE_REASON } from './change-reason.ts';

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
    description:
      'The accepted entity tags of the entity, from the header `etag`, or their versions, as `"12"`: with any other one the answer is 412.',
    accepts: ({ isConditional }) => isConditional === true,
  },
  {
    name: 'prefer',
    description: '`dry-run` carries the operation out in a transaction that is rolled back, and answers what it would do (RFC 7240).',
    accepts: isPreviewable,
  },
  {
    name: 'idempotency-key',
    description:
      'A text of the caller’s choice, 1 to 255 printable characters. Repeated with it, the same request is carried out once and gets the same answer; another one is answered with 422.',
    accepts: takesKey,
  },
  { name: CHANGE_REASON, description: 'Why the change is made: at most 1,000 characters, kept in its record.', accepts: isWrite },
  {
    name: 'x-max-lost',
    description: 'The number of pairs of identity and service that may lose access at most: with more of them the answer is 409.',
    accepts: isPreviewable,
  },
  {
    name: 'x-override-policy-tests',
    description: '`true` carries the operation out although it breaks policy tests. Needs `x-change-reason`.',
    accepts: isPreviewable,
  },
];
