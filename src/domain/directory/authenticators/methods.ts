import type { AuthenticatorMethod, StoredAuthenticator } from './method.ts';
import { certAuthenticator } from './methods/cert.ts';
import { updbAuthenticator } from './methods/updb.ts';

/** The methods of authenticators: a row for each that the contract declares, or this does not compile. */
export const authenticatorMethods: { readonly [M in StoredAuthenticator['method']]: AuthenticatorMethod } = {
  updb: updbAuthenticator,
  cert: certAuthenticator,
};
