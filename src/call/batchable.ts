import type { Operation } from '../api/kit/operation.ts';
import { invalidField } from '../errors/index.ts';
import type { Entry } from './call.ts';

/** Why an operation cannot be carried out as part of another or be rolled back; undefined if it can. */
const obstacle = ({ method, permission, standalone, isBatch }: Operation): string | undefined => {
  if (standalone !== undefined) return standalone;
  if (method === 'GET') return 'it only reads';
  return isBatch || permission.includes('.') ? undefined : 'it is about the session or the login of its caller';
};

/** True if an operation can be part of a batch. */
export const isBatchable = (operation: Operation): boolean => obstacle(operation) === undefined;

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation does not exist or cannot be part of a batch */
export function assertBatchable(name: string, operation: undefined): never;
export function assertBatchable(name: string, operation: Operation | undefined): asserts operation is Operation;
export function assertBatchable(name: string, operation: Operation | undefined): void {
  if (!operation) throw invalidField('operation', "it must be the name of an operation, such as 'identities.create'", name);
  const reason = obstacle(operation);
  if (reason !== undefined) throw invalidField('operation', `${name} cannot be part of a batch: ${reason}`, name);
}

/** True if an operation can be repeated with an idempotency key: its answer and all that it writes are kept in one transaction. */
export const takesKey = (operation: Operation): boolean => operation.method === 'POST' && isPreviewable(operation);

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation takes no idempotency key */
export const assertTakesKey = ({ group, verb, operation }: Entry): void => {
  if (takesKey(operation)) return;
  const reason = operation.method === 'POST' ? obstacle(operation) : 'repeating it changes nothing more';
  throw invalidField('Idempotency-Key', `${group}.${verb} takes no idempotency key: ${reason}`, undefined);
};

/** True if an operation can be previewed. */
export const isPreviewable = (operation: Operation): boolean => operation.isBatch === true || isBatchable(operation);

/** @throws ApiError `COULD_NOT_VALIDATE` if the operation cannot be previewed */
export const assertPreviewable = ({ group, verb, operation }: Entry): void => {
  if (!isPreviewable(operation))
    throw invalidField('preview', `${group}.${verb} cannot be previewed: ${obstacle(operation)}`, `${group}.${verb}`);
};
