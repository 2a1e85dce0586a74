import assert from 'node:assert/strict';
import type { Answer } from './app.ts';

/** 400 `COULD_NOT_VALIDATE` that names the field. */
export const assertInvalid = ({ status, text, body }: Answer, field: string): void => {
  assert.equal(status, 400, text);
  assert.equal(body.error.code, 'COULD_NOT_VALIDATE', text);
  assert.equal(body.error.cause.field, field, text);
};

/** Any other refusal. */
export const assertRefused = ({ status, text, body }: Answer, expected: number, code: string): void => {
  assert.equal(status, expected, text);
  assert.equal(body.error.code, code, text);
};
