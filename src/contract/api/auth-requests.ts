import * as z from 'zod';
import { hiddenReference, readOnly, resource, string, timestamp } from './kit/index.ts';

/** The authorization request of an OpenID client: its redirect URI, and the code challenge that redeeming the code requires. */
const request = z.object({
  clientId: string,
  redirectUri: string,
  scopes: z.array(string).readonly(),
  state: string.nullable(),
  nonce: string.nullable(),
  /** The S256 code challenge (RFC 7636). */
  codeChallenge: string,
  configTypes: z.array(string).readonly(),
  /** Address of the client, `host:port` or `host`. */
  address: string,
  /** SHA-256 of the client certificate with which the authorization was requested. */
  certificate: string.nullable().optional(),
});

export type ClientRequest = z.infer<typeof request>;

/** Progress of a login. */
const progress = z.object({
  /** Authentication methods used so far; empty before the primary login. */
  amr: z.array(string).readonly(),
  /** Number of wrong second-factor codes so far. */
  wrongCodes: z.int(),
  /** Time of the primary login, in seconds since 1970. */
  authTime: z.int().nullable(),
  /** SHA-256 of each code that was issued. */
  codes: z.array(string).readonly(),
  /** True if a code was redeemed. */
  isRedeemed: z.boolean(),
  /** SHA-256 of the secret in the browser's cookie if the login uses the login pages; null for a login by a program. */
  browser: string.nullable().optional(),
  /** SHA-256 of the key that the callback must present once a login on the login pages is complete. */
  pageKey: string.nullable().optional(),
  /** The certificate request (PKCS#10, PEM) that the client sent with its credentials; null once the code is redeemed. Not validated. */
  csr: string.nullable().optional(),
});

export type LoginProgress = z.infer<typeof progress>;

/** A login in progress, from the client's request to the issued tokens. */
export const authRequest = resource({
  kind: 'authRequest',
  collection: 'auth-requests',
  names: ['AuthRequest', 'AuthRequests'],
  about: 'An auth request is a login in progress at the OpenID provider. It expires after ten minutes.',
  unrecorded: true,
  fields: {
    request: readOnly(request, { keep: 'hidden' }),
    progress: readOnly(progress, { keep: 'hidden' }),
    /** The session that the login opened. When the session ends, the login becomes void. */
    apiSessionId: hiddenReference('apiSession', 'cascade'),
    endsAt: readOnly(timestamp, { keep: 'hidden', index: true }),
  },
});
