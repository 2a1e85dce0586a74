import type { Operation } from '../contract/api/kit/operation.ts';
import { invalidField } from '../contract/errors/index.ts';
import type { Entry } from './entry.ts';

/** Why an operation can neither be part of another one nor be rolled back; undefined if it can. */
const obstacle = ({ method, permission, standalone, isBatch }: Operation): string | undefined => {
  if (standalone !== undefined) return standalone;
  if (method === 'GET') return 'it only reads';
  return isBatch || permission.includes('.') ? undefined : "it affects the caller's own session or login";
};

/** True if an operation can be part of a batch. */
export const isBatchable = (operation: Operation): boolean => obstacle(operation) === undefined;

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation does not exist or is not allowed in a batch */
export function assertBatchable(name: string, operation: undefined): never;
export function assertBatchable(name: string, operation: Operation | undefined): asserts operation is Operation;
export function assertBatchable(name: string, operation: Operation | undefined): void {
  if (!operation) throw invalidField('operation', "it must be the name of an operation, such as 'identities.create'", name);
  const reason = obstacle(operation);
  if (reason !== undefined) throw invalidField('operation', `${name} cannot be part of a batch: ${reason}`, name);
}

/** True if an operation accepts an idempotency key: its answer is stored in the transaction of its writes. */
export const acceptsIdempotencyKey = (operation: Operation): boolean => operation.method === 'POST' && isPreviewable(operation);

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation accepts no idempotency key */
export const assertAcceptsIdempotencyKey = ({ group, verb, operation }: Entry): void => {
  if (acceptsIdempotencyKey(operation)) return;
  const reason = operation.method === 'POST' ? obstacle(operation) : 'it is idempotent without one';
  throw invalidField('Idempotency-Key', `${group}.${verb} does not accept an idempotency key: ${reason}`, undefined);
};

/** True if an operation can be previewed. */
export const isPreviewable = (operation: Operation): boolean => operation.isBatch === true || isBatchable(operation);

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation cannot be previewed */
export const assertPreviewable = ({ group, verb, operation }: Entry): void => {
  if (!isPreviewable(operation))
    throw invalidField('preview', `${group}.${verb} cannot be previewed: ${obstacle(operation)}`, `${group}.${verb}`);
};
