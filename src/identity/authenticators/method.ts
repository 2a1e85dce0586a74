import type { Call } from '../../call/call.ts';
import type { EnrollmentMethodName } from '../../contract/api/enrollment-methods.ts';
import type { authenticator, authPolicy } from '../../contract/api/kinds.ts';
import type { CreateBody, RowOf } from '../../contract/api/kit/index.ts';

export type StoredAuthenticator = RowOf<typeof authenticator>;

/** A decoded body of `POST /authenticators`. */
export type AuthenticatorBody = CreateBody<(typeof authenticator)['fields']>;

/** The enrollment through which the owner of an authenticator gets a new one of the same method. */
export interface Renewal {
  readonly method: EnrollmentMethodName;
  readonly username?: string | null;
  readonly caId?: string | null;
}

/** The rules of an authenticator method. */
export interface AuthenticatorMethod {
  /**
   * Returns the fields, in addition to those of the body, of an authenticator that an administrator creates. Called before the transaction.
   * @throws ApiError `COULD_NOT_VALIDATE` with the missing or invalid field
   */
  create(call: Call, body: AuthenticatorBody): Promise<Partial<StoredAuthenticator>>;
  /** True if an authentication policy allows logins with this method. */
  isAllowed(primary: RowOf<typeof authPolicy>['primary']): boolean;
  /** The summary of the authenticator in the details of its identity. */
  summary(row: StoredAuthenticator): Readonly<Record<string, unknown>>;
  /** The enrollment that renews the authenticator. */
  renewal(row: StoredAuthenticator): Renewal;
}

/** One entry for each method that the contract declares. */
export type AuthenticatorMethods = { readonly [M in StoredAuthenticator['method']]: AuthenticatorMethod };
