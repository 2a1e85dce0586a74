import assert from 'node:assert/strict';
import { ApiError, type ErrorCode } from '../../src/contract/errors/index.ts';

export const ann = { name: 'ann', type: 'User', isAdmin: false } as const;
/** Whether an error is this refusal, by the field where there is one. */
export const refusal = (status: number, code: ErrorCode, field?: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.deepEqual([error.status, error.code], [status, code]);
  if (field !== undefined) assert.equal(error.cause && 'field' in error.cause && error.cause.field, field);
  return true;
};
