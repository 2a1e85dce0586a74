import type * as z from 'zod';
import { type batchedOperation, type batchResult, MAX_OPERATIONS } from '../contract/api/batch.ts';
import type { Operation } from '../contract/api/kit/operation.ts';
import { namedOperations } from '../contract/api/named-operations.ts';
import { ApiError, catalog, explained, invalidField } from '../contract/errors/index.ts';
import { createTimeSlice } from '../runtime/concurrency/event-loop.ts';
import type { Entities } from '../store/entities/entities.ts';
import { assertBatchable } from './batchable.ts';
import type { Call } from './call.ts';

export type BatchedOperation = z.output<typeof batchedOperation>;
export type BatchResult = z.output<typeof batchResult>;

/**
 * Validates a batch before any of its operations runs: its size, and that its operations exist, are allowed in a batch, and refer only to
 * earlier ones.
 * @throws ApiError `REQUEST_ENTITY_TOO_LARGE`, or `COULD_NOT_VALIDATE` with the number of the operation
 */
export const checkBatch = (operations: readonly BatchedOperation[]): void => {
  if (operations.length > MAX_OPERATIONS)
    throw explained(
      'REQUEST_ENTITY_TOO_LARGE',
      `a batch has at most ${MAX_OPERATIONS} operations, but this one has ${operations.length}: split it`,
    );
  for (const [i, { operation, input }] of operations.entries()) {
    withNumberInErrors(i + 1, operation, () => {
      assertBatchable(operation, operationsByName.get(operation));
      assertReferencesToEarlier(input, i + 1);
    });
  }
};

/** Number of operations per time slice. */
const OPERATIONS_PER_SLICE = 10;

/**
 * Executes the operations of a batch, in order, in one transaction, and yields to the event loop in between. If one fails, the caller must
 * roll back.
 * @param entities the transaction: that of a write of the call
 * @throws ApiError of the operation that failed, with its number in the cause
 */
export const runBatch = async (call: Call, entities: Entities, operations: readonly BatchedOperation[]): Promise<BatchResult> => {
  const results: BatchResult['results'] = [];
  const yieldIfDue = createTimeSlice(OPERATIONS_PER_SLICE);
  for (const [i, { operation, input = {}, ifVersion }] of operations.entries()) {
    call.signal.throwIfAborted();
    const number = i + 1;
    const resolvedInput = withNumberInErrors(number, operation, () => resolveReferences(input, results));
    const output = await call.invokeNested(entities, { operation, input: resolvedInput, ifVersion }).catch((error) => {
      throw withNumber(error, number, operation);
    });
    const id = idIn(output) ?? idIn(resolvedInput);
    results.push({ operation, ...(id === undefined ? {} : { id }), output });
    await yieldIfDue();
  }
  return { results, revision: await entities.revision() };
};

const operationsByName: ReadonlyMap<string, Operation> = new Map(namedOperations.map(({ name, operation }) => [name, operation]));

const idIn = (value: unknown): string | undefined => {
  const { id } = Object(value) as { readonly id?: unknown }; // any value may have an id
  return typeof id === 'string' ? id : undefined;
};

const withNumberInErrors = <T>(number: number, operation: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw withNumber(error, number, operation);
  }
};

/** The error of an operation of a batch, with its number and name. Errors that the caller did not cause concern the whole batch. */
const withNumber = (error: unknown, number: number, operation: string): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { code, status, retryAfter, requestId } = error;
  const cause = prefixedCause(error, `operation ${number} (${operation.slice(0, 100)})`);
  return new ApiError(code, {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(cause && { cause }),
  } as never); // the type of the cause depends on the code: it is the error's own, with another text
};

const prefixedCause = (error: ApiError, prefix: string): object | undefined => {
  const cause = error.cause as { readonly reason?: string; readonly message?: string } | undefined; // any cause of the catalog
  if (cause?.reason !== undefined) return { ...cause, reason: `${prefix}: ${cause.reason}` };
  if (cause?.message !== undefined) return { ...cause, message: `${prefix}: ${cause.message}` };
  const allowsMessage = (catalog[error.code].cause as readonly string[]).includes('message');
  return cause === undefined && allowsMessage ? { code: error.code, message: `${prefix}: ${error.message}` } : cause;
};

/** The result of an earlier operation of a batch, to which later ones may refer. */
interface EarlierResult {
  readonly id?: string | undefined;
  readonly output: unknown;
}

/** `$1.id`, or `@$1.id` in role arrays: a field of the result of an earlier operation. Operations are numbered from 1. */
const REFERENCE = /^(@?)\$(\d{1,5})\.([A-Za-z]\w{0,63})$/;
/** `$$1.id`: the text `$1.id`; `$$$1.id`: the text `$$1.id`, and so on. */
const ESCAPED = /^(@?)\$(\$+\d{1,5}\.)/;

/**
 * @param number the number of the operation with this input
 * @throws ApiError `COULD_NOT_VALIDATE` for a reference to the operation itself or to a later one
 */
const assertReferencesToEarlier = (input: unknown, number: number): void => {
  visitTexts(input, (text) => {
    const [, , target] = REFERENCE.exec(text) ?? [];
    if (target !== undefined && !(Number(target) >= 1 && Number(target) < number))
      throw invalidField(
        'input',
        `operation ${number} refers to ${text}: it can only refer to operations before it, which are numbered from 1`,
        text,
      );
  });
};

/**
 * The input with its references replaced.
 * @throws ApiError `COULD_NOT_VALIDATE` if the result that it refers to has no such field
 */
const resolveReferences = (input: unknown, results: readonly EarlierResult[]): unknown => {
  if (typeof input === 'string') return resolveText(input, results);
  if (Array.isArray(input)) return input.map((item) => resolveReferences(item, results));
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([key, item]) => [resolveText(key, results), resolveReferences(item, results)]));
};

/** Calls `check` for every string in a JSON value, including the keys of objects. */
const visitTexts = (input: unknown, check: (text: string) => void): void => {
  if (typeof input === 'string') check(input);
  if (typeof input !== 'object' || input === null) return;
  for (const [key, item] of Object.entries(input)) {
    check(key);
    visitTexts(item, check);
  }
};

const resolveText = (text: string, results: readonly EarlierResult[]): string => {
  if (ESCAPED.test(text)) return text.replace(ESCAPED, '$1$2');
  const [, prefix = '', number, field = ''] = REFERENCE.exec(text) ?? [];
  if (number === undefined) return text;
  const { id, output } = results[Number(number) - 1] ?? { output: undefined };
  const fields: Readonly<Record<string, unknown>> = { ...(id !== undefined && { id }), ...Object(output) };
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof value !== 'string')
    throw invalidField('input', `the result of operation ${number} has no text ${field}, to which ${text} refers`, text);
  return prefix + value;
};
