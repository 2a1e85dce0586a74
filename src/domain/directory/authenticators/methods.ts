import type { AuthenticatorMethod, AuthenticatorRow } from './method.ts';
import { cert } from './methods/cert.ts';
import { updb } from './methods/updb.ts';

/** The methods of authenticators: a row for each that the contract declares, or this does not compile. */
export const authenticatorMethods: { readonly [M in AuthenticatorRow['method']]: AuthenticatorMethod } = { updb, cert };
