import type { ApiError } from './api-error.ts';

/** A finer code, by which surfaces distinguish errors with the same code. */
export type Subcode =
  /** `UNAUTHORIZED`: no session token was presented. */
  | 'TOKEN_MISSING'
  /** `UNAUTHORIZED`: the token that was presented has expired. */
  | 'TOKEN_EXPIRED'
  /** `NOT_FOUND`: there is nothing at the address, neither an operation nor an entity. */
  | 'ADDRESS_UNKNOWN';

/** Kept beside the errors, because answers do not contain them. */
const subcodes = new WeakMap<ApiError, Subcode>();

export const withSubcode = (error: ApiError, subcode: Subcode): ApiError => {
  subcodes.set(error, subcode);
  return error;
};

export const subcodeOf = (error: ApiError): Subcode | undefined => subcodes.get(error);
