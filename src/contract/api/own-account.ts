import * as z from 'zod';
import { data, EMPTY, group, listQuery, operation, page, string, timestamp } from './kit/index.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

// An API token does not manage the account of its identity: a stolen one could end the sessions of its owner.
const own = { permission: 'session', surfaces: [surfaces.extensions], byToken: false } as const;
const sessionsPath = '/current-identity/api-sessions' as const;

/** The rules for a new password, from the auth policy of the caller. */
const passwordRules = z
  .object({
    /** Minimum length in characters. */
    minPasswordLength: z.int(),
    /** True if it must contain a character that is not a letter, digit or space. */
    requireSpecialChar: boolean,
    /** True if it must contain a digit. */
    requireNumberChar: boolean,
    /** True if it must contain uppercase and lowercase letters. */
    requireMixedCase: boolean,
  })
  .meta({ id: 'PasswordRules' });

/** An API session of the caller's identity, including sessions with signed tokens of the OpenID provider. */
const ownApiSession = z
  .object({
    /** Id of the session, which is not a credential. */
    id: string,
    /** True for the session of the request. */
    isCurrent: boolean,
    /** Id of the OpenID client that the session belongs to; null for a session without signed tokens. */
    clientId: string.nullable(),
    /** Address that the login came from. */
    ipAddress: string,
    /** When the session began. */
    createdAt: timestamp,
    /** When the session was last used: exact to 30 seconds. */
    lastActivityAt: timestamp,
    /** When the session ends unless it is used. */
    expiresAt: timestamp,
  })
  .meta({ id: 'OwnApiSession' });

export const ownAccount = group('ownAccount', 'The account of the current identity', {
  getPasswordRules: operation('GET', '/current-identity/password-rules', {
    operationId: 'getCurrentIdentityPasswordRules',
    summary: 'Get the rules for a new password of the current identity',
    answer: data(passwordRules),
    ...own,
  }),
  listSessions: operation('GET', sessionsPath, {
    operationId: 'listCurrentIdentityApiSessions',
    summary: 'List the API sessions of the current identity, including those with signed tokens',
    query: listQuery,
    answer: page(ownApiSession),
    ...own,
  }),
  endSession: operation('DELETE', `${sessionsPath}/{id}`, {
    operationId: 'deleteCurrentIdentityApiSession',
    summary: 'End an API session of the current identity',
    answer: EMPTY,
    ...own,
  }),
  endOtherSessions: operation('POST', `${sessionsPath}/end-others`, {
    operationId: 'endOtherApiSessions',
    summary: 'End all API sessions of the current identity except the one of the request',
    answer: EMPTY,
    ...own,
  }),
});
