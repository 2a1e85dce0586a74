import * as z from 'zod';
import { currentApiSessionDetail } from './api-sessions.ts';
import { data, EMPTY, group, list, operation } from './kit/index.ts';
import { mfaCode } from './mfa.ts';
import { envInfo, password, sdkInfo, shortText, username } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** The credentials of a client, and the environment and SDK that it reports. */
const authenticate = z
  .object({
    /** Required for the method `password`. */
    username: username.optional(),
    /** Required for the method `password`. */
    password: password.optional(),
    configTypes: list(shortText, 1000)
      .optional()
      .meta({ description: 'Config types whose data this session receives with services: ids or names, or `all`.' }),
    /** The environment of the client; stored with the identity. */
    envInfo: envInfo.optional(),
    /** The software of the client; stored with the identity. */
    sdkInfo: sdkInfo.optional(),
  })
  .meta({ id: 'Authenticate' });

/** Methods of authentication. */
export const authenticationMethod = z.enum(['password', 'cert', 'ext-jwt']);

export const authentication = group('authentication', 'Authentication', {
  authenticate: operation('POST', '/authenticate', {
    operationId: 'authenticate',
    summary: 'Log in: authenticate an identity and open an API session',
    permission: 'open',
    surfaces: [surfaces.management, surfaces.client],
    query: z.object({
      /** The authentication method: username and password, the client certificate of the request, or a token of an external JWT signer. */
      method: authenticationMethod,
    }),
    body: { schema: authenticate, name: 'auth', required: false },
    answer: data(currentApiSessionDetail),
    errors: ['INVALID_AUTH'],
  }),
  authenticateMfa: operation('POST', '/authenticate/mfa', {
    operationId: 'authenticateMfa',
    summary: 'Complete a login with a second factor: a TOTP code or a recovery code, each valid once',
    permission: 'partial',
    surfaces: [surfaces.management, surfaces.client],
    body: { schema: mfaCode, name: 'mfaAuth' },
    answer: EMPTY,
    errors: ['MFA_INVALID_TOKEN', 'MFA_NOT_ENROLLED'],
  }),
});
