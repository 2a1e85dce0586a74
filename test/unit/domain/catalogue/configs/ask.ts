import assert from 'node:assert/strict';
import { compileSchema } from '../../../../../src/access/configs/schema.ts';
import { refuseViolations } from '../../../../../src/access/configs/violations.ts';
import { ApiError } from '../../../../../src/contract/errors/index.ts';

export const DRAFT_2020 = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } as const;

/** The reason for which a schema is refused; the refusal must be that of field `schema`. */
export const refusal = (schema: unknown): string => {
  const { field, reason } = causeOf(() => compileSchema(schema));
  assert.equal(field, 'schema');
  return reason;
};

/** Field and reason with which data is refused; the reason names the field first, but for the whole of the data. */
export const fault = (schema: unknown, data: unknown): readonly [field: string, reason: string] => {
  const { field, reason } = causeOf(() => refuseViolations(compileSchema(schema)(data)));
  if (field === '(root)') return [field, reason];
  assert.ok(reason.startsWith(`${field}: `), reason);
  return [field, reason.slice(field.length + 2)];
};

export const accepts = (schema: unknown, data: unknown): boolean => compileSchema(schema)(data).length === 0;

const causeOf = (work: () => unknown): { readonly field: string; readonly reason: string } => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError, `${error}`);
    assert.deepEqual([error.status, error.code], [400, 'COULD_NOT_VALIDATE']);
    assert.ok(error.cause && 'field' in error.cause);
    return error.cause;
  }
  return assert.fail('it was not refused');
};
