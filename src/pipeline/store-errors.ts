import { ApiError, unavailable } from '../errors/index.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { StoreBusy, StoreSchemaMismatch, StoreUnavailable, ValueTooLong, WriteConflict } from '../storage/errors.ts';

/** What a call says that the store failed. What is no error of the store stays as it is. */
export type OfStore = (error: unknown, context: Readonly<Record<string, unknown>>) => unknown;

/** Errors of the store in the words of the API. Errors that need an operator are logged, repeated ones with a count. */
export const createStoreErrors = (platform: Pick<Platform, 'clock' | 'logger'>): OfStore => {
  const log = createRepeatedLog(platform);
  return (error, context) => {
    if (error instanceof ValueTooLong) return new ApiError('COULD_NOT_VALIDATE', { cause: { code: 'UNHANDLED', message: error.message } });
    if (error instanceof WriteConflict) return new ApiError('CONFLICT');
    if (error instanceof StoreBusy) {
      log('warn', 'another writer holds the database', { ...context, error });
      return unavailable('another writer holds the database; nothing was written');
    }
    if (error instanceof StoreSchemaMismatch) {
      log('error', 'the database was migrated by a newer release: this process writes no more', { ...context, error });
      return unavailable('this controller is older than its database, and writes no more');
    }
    if (error instanceof StoreUnavailable) {
      log('error', 'the store is unavailable', { ...context, error });
      return unavailable();
    }
    return error;
  };
};
