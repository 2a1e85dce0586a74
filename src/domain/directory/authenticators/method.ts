import type { EnrollmentMethodName } from '../../../api/enrollment-methods.ts';
import type { authenticator, authPolicy } from '../../../api/kinds.ts';
import type { CreateBody, RowOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';

export type StoredAuthenticator = RowOf<typeof authenticator>;

/** A decoded body of `POST /authenticators`. */
export type AuthenticatorBody = CreateBody<(typeof authenticator)['fields']>;

/** The enrollment that gives the owner of an authenticator a new one of the same kind. */
export interface Renewal {
  readonly method: EnrollmentMethodName;
  readonly username?: string | null;
  readonly caId?: string | null;
}

/** One authenticator method: how an identity authenticates with the stored data. */
export interface AuthenticatorMethod {
  /**
   * The fields, besides those of the body, of an authenticator that an administrator creates. Called before the transaction.
   * @throws ApiError `COULD_NOT_VALIDATE` with the field that is missing or bad
   */
  create(call: Call, body: AuthenticatorBody): Promise<Partial<StoredAuthenticator>>;
  /** True if an authentication policy allows logins with this method. */
  isAllowed(primary: RowOf<typeof authPolicy>['primary']): boolean;
  /** The authenticator as the details of the identity show it. */
  summary(row: StoredAuthenticator): Readonly<Record<string, unknown>>;
  renewal(row: StoredAuthenticator): Renewal;
}

/** One entry for each method that the contract declares. */
export type AuthenticatorMethods = { readonly [M in StoredAuthenticator['method']]: AuthenticatorMethod };
