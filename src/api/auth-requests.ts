import * as z from 'zod';
import { hiddenReference, readOnly, resource, string, timestamp } from './kit/index.ts';

/** The request of a client of the OpenID provider: to whom a code goes, and what the client proves when it redeems it. */
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
  /** Ways of authentication so far; none before the primary login. */
  amr: z.array(string).readonly(),
  /** Wrong codes of the second factor so far. */
  wrongCodes: z.int(),
  /** Seconds since 1970 of the primary login. */
  authTime: z.int().nullable(),
  /** SHA-256 of the codes that were issued. */
  codes: z.array(string).readonly(),
  /** True if one of them was redeemed. */
  isRedeemed: z.boolean(),
  /** SHA-256 of the secret of the browser in which the login is made on pages; null for a login by a program. */
  browser: string.nullable().optional(),
  /** SHA-256 of the key that the callback of a login on pages must carry, once the login is complete. */
  pageKey: string.nullable().optional(),
});

export type LoginProgress = z.infer<typeof progress>;

/** A login in progress, from the client's request to the issued tokens. */
export const authRequest = resource({
  kind: 'authRequest',
  collection: 'auth-requests',
  names: ['AuthRequest', 'AuthRequests'],
  about: 'An auth request is a login by the OpenID provider that is under way, for ten minutes at most.',
  unrecorded: true,
  fields: {
    request: readOnly(request, { keep: 'hidden' }),
    progress: readOnly(progress, { keep: 'hidden' }),
    /** The session that the login has opened; when it ends, the login is void. */
    apiSessionId: hiddenReference('apiSession', 'cascade'),
    endsAt: readOnly(timestamp, { keep: 'hidden', index: true }),
  },
});
