import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receivedError } from '../../../client/answer.ts';

const field = { field: 'name', reason: 'name is required', value: '<nil>' };
const words = { code: 'UNHANDLED', message: 'too much' };
const failing = { message: 'all fail', data: { policy: [{ id: 'a', typeId: 'MFA', isPassing: false }] } };

test('an error that was received has the code and the cause that were sent', () => {
  for (const [code, cause] of [
    ['COULD_NOT_VALIDATE', field],
    ['COULD_NOT_VALIDATE', words],
    ['INVALID_POSTURE', failing],
    ['CURSOR_EXPIRED', { message: 'gone', earliest: 7 }],
    ['RATE_LIMITED', undefined],
    ['CONFLICT', undefined],
    ['CONFLICT', words],
  ] as const) {
    const error = receivedError({ code, message: 'sent', cause }, { status: 418, retryAfter: 7 });
    assert.deepEqual([error.code, error.cause, error.status, error.retryAfter], [code, cause, 418, 7]);
  }
});

test('a code of another release becomes UNHANDLED, and is kept in the cause', () => {
  const error = receivedError({ code: 'TEAPOT', message: 'short and stout', cause: field }, { status: 418 });
  assert.deepEqual([error.code, error.status, error.cause], ['UNHANDLED', 418, { code: 'TEAPOT', message: 'short and stout' }]);
});

test('a cause of another kind than its code has is put in the form of one that it has', () => {
  const causeOf = (code: string, cause: unknown) => receivedError({ code, message: 'sent', cause }, {}).cause;
  assert.deepEqual(causeOf('INVALID_FILTER', field), { code: 'INVALID_FILTER', message: 'name is required' });
  assert.deepEqual(causeOf('INVALID_FILTER', undefined), { code: 'INVALID_FILTER', message: 'sent' });
  assert.deepEqual(causeOf('INVALID_POSTURE', words), { message: 'too much', data: {} });
  assert.deepEqual(causeOf('INVALID_POSTURE', { data: {} }), { message: 'sent', data: {} });
  assert.deepEqual(causeOf('UNSUPPORTED_MEDIA', 'a text'), { field: '', reason: 'sent', value: '' });
  assert.deepEqual(causeOf('UNSUPPORTED_MEDIA', { field: 'Content-Type' }), { field: '', reason: 'sent', value: '' });
  assert.deepEqual(causeOf('CURSOR_EXPIRED', words), { message: 'too much', earliest: 0 });
  assert.equal(causeOf('RATE_LIMITED', words), undefined);
  assert.equal(causeOf('RATE_LIMITED', null), undefined);
});
