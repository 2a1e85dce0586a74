import { ApiError, unavailable } from '../contract/errors/index.ts';
import type { Platform } from '../runtime/platform/platform.ts';
import { createRepeatedLog } from '../runtime/platform/repeated-log.ts';
import { SecretUnreadable } from '../runtime/platform/secrets.ts';
import { StorageError, StoreBusy, StoreSchemaMismatch, StoreUnavailable, ValueTooLong, WriteConflict } from '../store/storage/errors.ts';

/**
 * Maps a store error, or the error for a secret whose key this controller lacks, to an API error; returns other errors unchanged. Logs the
 * errors that operators must know of, which are logged nowhere else; repeated ones every ten seconds, with a count.
 * @param context identifies the call: `requestId`, `operationId`
 */
export type StoreErrors = (error: unknown, context: Readonly<Record<string, unknown>>) => unknown;

export const createStoreErrors = (platform: Pick<Platform, 'clock' | 'logger'>): StoreErrors => {
  const log = createRepeatedLog(platform);
  return (error, context) => {
    if (error instanceof SecretUnreadable && error.isKeyMissing) {
      log('error', 'the secret key of the network was replaced: restart this controller with the new secretKey', { ...context, error });
      return unavailable('this controller lacks the secret key of its network');
    }
    if (!(error instanceof StorageError)) return error;
    if (error instanceof ValueTooLong) return new ApiError('COULD_NOT_VALIDATE', { cause: { code: 'UNHANDLED', message: error.message } });
    if (error instanceof WriteConflict) return new ApiError('CONFLICT');
    const { level, message, refusal } = faultOf(error);
    log(level, message, { ...context, error });
    return refusal;
  };
};

interface Fault {
  readonly level: 'warn' | 'error';
  readonly message: string;
  readonly refusal: ApiError;
}

/** Errors that the request did not cause. */
const faultOf = (error: StorageError): Fault => {
  if (error instanceof StoreBusy)
    return {
      level: 'warn',
      message: 'another writer holds the lock of the database: the call was answered with 503',
      refusal: unavailable(
        'another transaction has locked the database, perhaps one of the host that was not passed to the call; nothing was written',
      ),
    };
  if (error instanceof StoreSchemaMismatch)
    return {
      level: 'error',
      message: 'a newer release has migrated the database: this process refuses every write until it is upgraded',
      refusal: unavailable('this controller is older than its database, and no longer writes'),
    };
  if (error instanceof StoreUnavailable)
    return {
      level: 'error',
      message: 'the database is unavailable: calls are answered with 503 until it responds',
      refusal: unavailable(),
    };
  return {
    level: 'error',
    message: 'unexpected error of the database: the call was answered with 500',
    refusal: new ApiError('UNHANDLED'),
  };
};
