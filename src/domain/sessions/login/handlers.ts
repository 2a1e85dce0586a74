import type * as z from 'zod';
import { authPolicies, authPolicy } from '../../../api/auth-policies.ts';
import type { authenticationMethod } from '../../../api/authentication.ts';
import { authentication } from '../../../api/authentication.ts';
import { authenticator, authenticators } from '../../../api/authenticators.ts';
import { mfa } from '../../../api/mfa.ts';
import { apiSession, apiSessions, currentApiSession } from '../../../api/sessions.ts';
import { accompanied } from '../../../authentication/second-factor.ts';
import { endSessions } from '../../../authentication/state.ts';
import { type SessionActor, sessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import { ApiError } from '../../../errors/index.ts';
import { crudHandlers } from '../../../resources/crud.ts';
import { lastServiceChange } from '../../catalogue/services/updates.ts';
import { confirmExtension, extend, requestExtension } from '../../directory/authenticators/extension.ts';
import { reEnroll } from '../../directory/enrollment/re-enroll.ts';
import { withCode } from '../../directory/mfa/codes.ts';
import { passMfa } from '../../directory/mfa/record.ts';
import { presentOwnSession } from '../api-sessions/present.ts';
import { loginByCertificate } from './certificate-login.ts';
import { loginByExternalToken } from './external-login.ts';
import type { LoginBody } from './login.ts';
import { loginByPassword } from './password-login.ts';

type Method = (call: Call, body: LoginBody) => Promise<SessionActor>;

/** The ways to log in. */
const methods: Readonly<Record<z.infer<typeof authenticationMethod>, Method>> = {
  password: loginByPassword,
  cert: loginByCertificate,
  'ext-jwt': loginByExternalToken,
};

export const authenticationEntries = [
  ...implement(authentication, {
    authenticate: async (call, { method, body = {} }) => {
      const actor = await accompanied(call, await methods[method](call, body));
      call.answerHeaders.set('zt-session', actor.token);
      const own = await call.read((entities) => presentOwnSession(entities, actor, call));
      call.answerHeaders.set('expiration-seconds', String(own.expirationSeconds)).set('expires-at', own.expiresAt);
      return own;
    },
    authenticateMfa: async (call, { body }) => {
      await withCode(call, 'login', body.code, async (entities, row, spent) => {
        await entities.update(mfa, row, spent);
        await passMfa(entities, sessionOf(call.actor).session.id, call.now());
      });
      return {};
    },
  }),
  ...implement(authPolicies, crudHandlers(authPolicies, authPolicy)),
  ...implement(authenticators, {
    ...crudHandlers(authenticators, authenticator),
    reEnroll,
    requestExtend: requestExtension,
    extend,
    extendVerify: confirmExtension,
  }),
  ...implement(apiSessions, crudHandlers(apiSessions, apiSession)),
  ...implement(currentApiSession, {
    get: (call) => call.read((entities) => presentOwnSession(entities, sessionOf(call.actor), call)),
    delete: async (call) => {
      const { session } = sessionOf(call.actor);
      await call.write(async (entities) => endSessions(entities, [await entities.require(apiSession, session.id)]));
      return {};
    },
    getServiceUpdates: lastServiceChange,
    createTotpToken: async () => {
      throw new ApiError('INVALID_BACKING_TOKEN_TYPE');
    },
  }),
];
