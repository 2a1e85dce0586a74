import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CatalogEntry, catalog } from '../../../src/contract/errors/index.ts';
import {
  ApiError,
  type CauseOf,
  type ErrorCode,
  type ErrorsOf,
  type FailingCheck,
  type FieldCause,
  isApiError,
  type MessageCause,
} from '../../../src/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const prove = <_ extends true>(): void => {};
const failing = { id: 'a', typeId: 'MFA', isPassing: false } as const;

/** Never run: what the compiler knows of an error that was caught, of a code, and of what an error is made of. */
export const narrowing = (error: unknown, known: ApiError, found: readonly string[] | ApiError): unknown => {
  if (!(error instanceof ApiError)) {
    // @ts-expect-error what else was thrown has no code
    return error.code;
  }
  prove<Same<typeof error, ApiError>>();
  prove<Same<typeof error.code, ErrorCode>>();
  // @ts-expect-error without a look at the code it may have another cause, or none
  void error.cause.data;
  // @ts-expect-error there is no such code
  if (error.code === 'INVALID_POSTER') return undefined;
  if (error.code === 'INVALID_POSTURE') {
    prove<Same<typeof error.cause.data, Readonly<Record<string, readonly FailingCheck[]>>>>();
    // @ts-expect-error and no field
    return error.cause.field;
  }
  switch (error.code) {
    case 'CAN_NOT_DELETE_REFERENCED_ENTITY':
      return error.cause.field;
    case 'COULD_NOT_VALIDATE':
      prove<Same<typeof error.cause, FieldCause | MessageCause>>();
      return 'field' in error.cause ? error.cause.value : error.cause.message;
    case 'RATE_LIMITED':
      prove<Same<typeof error.cause, undefined>>();
      return error.retryAfter;
    case 'CONFLICT':
      return error.cause?.message;
    case 'UNAUTHORIZED':
      prove<Same<CauseOf<'UNAUTHORIZED'>, MessageCause | FieldCause>>();
  }
  const { code, cause } = known;
  if (code === 'INVALID_FILTER') cause.message satisfies string;
  const posture: ApiError<'INVALID_POSTURE'> = new ApiError('INVALID_POSTURE', { cause: { message: 'all fail', data: { p: [failing] } } });
  known = posture;
  // @ts-expect-error these fail for other reasons
  const filter: ApiError<'INVALID_FILTER'> = posture;
  // @ts-expect-error this code needs a cause
  new ApiError('INVALID_POSTURE');
  // @ts-expect-error of its own kind
  new ApiError('INVALID_POSTURE', { cause: { code: 'UNHANDLED', message: 'all fail' } });
  // @ts-expect-error this code has none
  new ApiError('RATE_LIMITED', { cause: { code: 'UNHANDLED', message: 'wait' } });
  // What is no error is left over, too.
  if (found instanceof ApiError) throw found;
  prove<Same<typeof found, readonly string[]>>();
  return filter;
};

/** Never run: what one operation may throw. */
export const ofOneOperation = (error: ErrorsOf<'createSession'>): string => {
  if (error.code === 'INVALID_POSTURE') return Object.keys(error.cause.data).join();
  // @ts-expect-error a session is no certificate request
  if (error.code === 'COULD_NOT_PROCESS_CSR') return '';
  error satisfies ApiError;
  return error.message;
};

test('an error has the status, the message and the hint of its code', () => {
  const error = new ApiError('MFA_EXISTS');
  const { code, status, message, cause, retryAfter } = error;
  assert.deepEqual(
    { code, status, message, cause, retryAfter },
    {
      code: 'MFA_EXISTS',
      status: 409,
      message: 'An MFA record already exists, try removing it: remove it with DELETE /current-identity/mfa before you enroll again',
      cause: { code: 'MFA_EXISTS', message: 'remove it with DELETE /current-identity/mfa before you enroll again' },
      retryAfter: undefined,
    },
  );
  assert.ok(error instanceof ApiError && error instanceof Error);
  assert.equal(new Error('another') instanceof ApiError, false);
  assert.match(String(error.stack), /^ApiError|^Error: An MFA record/);
  assert.equal(ApiError.name, 'ApiError');
});

test('a hint is a message, and stands for a cause that is not given; each code says what its causes are', () => {
  for (const [code, { cause, hint }] of Object.entries<CatalogEntry>(catalog)) {
    assert.ok(cause.length > 0, code);
    if (hint !== undefined) assert.ok(cause.includes('message') && !cause.includes('none'), code);
  }
});

test('what the compiler knows of errors is proved by compiling this file', () => {
  assert.equal(typeof narrowing, 'function');
  assert.equal(typeof ofOneOperation, 'function');
});

test('an error of another copy of the package is an ApiError, and nothing else is', async () => {
  const other: typeof import('../../../src/contract/errors/index.ts') = await import(
    `../../../src/contract/errors/api-error.ts?${Math.random()}`
  );
  const error = new other.ApiError('NOT_FOUND');
  assert.notEqual(other.ApiError, ApiError);
  assert.ok(error instanceof ApiError && isApiError(error) && other.isApiError(new ApiError('UNAUTHORIZED')));
  assert.deepEqual([new Error('no'), { name: 'ApiError', code: 'NOT_FOUND' }, null, undefined, 'ApiError'].filter(isApiError), []);
});
