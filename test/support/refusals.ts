import assert from 'node:assert/strict';
import type { Answer } from './app.ts';

/** 400 `COULD_NOT_VALIDATE` that names the field. */
export const assertInvalid = ({ status, text, body }: Answer, field: string): void => {
  assert.equal(status, 400, text);
  assert.equal(body.error.code, 'COULD_NOT_VALIDATE', text);
  const { cause } = body.error;
  assert.equal(cause.field, field, text);
  // The reason is a sentence, and the value is what was given.
  assert.match(cause.reason, /\S \S/, text);
  assert.doesNotMatch(String(cause.value ?? ''), /\b(must|must not|may not|is not|takes no)\b/, text);
};

/** Any other refusal. */
export const assertRefused = ({ status, text, body }: Answer, expected: number, code: string): void => {
  assert.equal(status, expected, text);
  assert.equal(body.error.code, code, text);
};

/** A refused login tells what to do, and the same one whatever was wrong. */
export const assertNoReason = ({ body }: Answer, why?: string): void => {
  assert.deepEqual(
    body.error.cause,
    {
      code: 'INVALID_AUTH',
      message: 'the credentials are wrong, or this identity may not log in with them now: check them, or ask an administrator',
    },
    why,
  );
  assert.deepEqual(Object.keys(body.error).toSorted(), ['cause', 'code', 'message', 'requestId'], why);
};
