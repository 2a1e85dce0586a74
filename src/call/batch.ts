import type * as z from 'zod';
import { type batchedOperation, type batchResult, MAX_OPERATIONS } from '../api/batch.ts';
import type { Operation } from '../api/kit/operation.ts';
import { namedOperations } from '../api/named-operations.ts';
import type { Entities } from '../entities/entities.ts';
import { ApiError, catalog, explained } from '../errors/index.ts';
import { checkReferencesIn, resolveReferences } from './batch-references.ts';
import { assertBatchable } from './batchable.ts';
import type { Call } from './call.ts';

export type BatchedOperation = z.output<typeof batchedOperation>;
export type BatchResult = z.output<typeof batchResult>;

/**
 * Checks a batch before anything of it is carried out: its size, and that its operations exist, can be part of a batch, and refer to earlier ones only.
 * @throws ApiError `REQUEST_ENTITY_TOO_LARGE`, or `COULD_NOT_VALIDATE` with the number of the operation
 */
export const checkBatch = (operations: readonly BatchedOperation[]): void => {
  if (operations.length > MAX_OPERATIONS)
    throw explained(
      'REQUEST_ENTITY_TOO_LARGE',
      `a batch holds at most ${MAX_OPERATIONS} operations, and this one ${operations.length}: split it`,
    );
  for (const [i, { operation, input }] of operations.entries()) {
    about(i + 1, operation, () => {
      assertBatchable(operation, declared.get(operation));
      checkReferencesIn(input, i + 1);
    });
  }
};

/**
 * Carries out the operations of a batch, in order, in the transaction of `entities`. If one fails, the caller must roll back.
 * @param entities those of a write of the call
 * @throws ApiError of the operation that failed, with its number in the cause
 */
export const runBatch = async (call: Call, entities: Entities, operations: readonly BatchedOperation[]): Promise<BatchResult> => {
  const results: BatchResult['results'] = [];
  for (const [i, { operation, input = {}, ifVersion }] of operations.entries()) {
    call.signal.throwIfAborted();
    const number = i + 1;
    const given = about(number, operation, () => resolveReferences(input, results));
    const output = await call.carryOut(entities, { operation, input: given, ifVersion }).catch((error) => {
      throw ofOperation(error, number, operation);
    });
    const id = idIn(output) ?? idIn(given);
    results.push({ operation, ...(id === undefined ? {} : { id }), output });
  }
  return { results, revision: await entities.revision() };
};

const declared: ReadonlyMap<string, Operation> = new Map(namedOperations.map(({ name, operation }) => [name, operation]));

const idIn = (value: unknown): string | undefined => {
  const { id } = Object(value) as { readonly id?: unknown }; // any value may have an id
  return typeof id === 'string' ? id : undefined;
};

const about = <T>(number: number, operation: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw ofOperation(error, number, operation);
  }
};

/** The error of an operation of a batch, which says which one it was. Other errors are not the caller's: they are about the whole. */
const ofOperation = (error: unknown, number: number, operation: string): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { code, status, retryAfter, requestId } = error;
  const where = `operation ${number} (${operation.slice(0, 100)})`;
  const options = { status, ...(retryAfter === undefined ? {} : { retryAfter }), ...(requestId === undefined ? {} : { requestId }) };
  const cause = error.cause as { readonly reason?: string; readonly message?: string } | undefined; // whatever the code allows
  const told =
    cause?.reason !== undefined
      ? { ...cause, reason: `${where}: ${cause.reason}` }
      : cause?.message !== undefined
        ? { ...cause, message: `${where}: ${cause.message}` }
        : cause === undefined && (catalog[code].cause as readonly string[]).includes('message')
          ? { code, message: `${where}: ${error.message}` }
          : cause;
  return new ApiError(code, { ...options, ...(told && { cause: told }) } as never); // the cause that the error had, with another text
};
