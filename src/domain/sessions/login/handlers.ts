import type * as z from 'zod';
import type { authenticationMethod } from '../../../api/authentication.ts';
import { authentication } from '../../../api/authentication.ts';
import { mfa } from '../../../api/mfa.ts';
import { accompanied } from '../../../authentication/factors.ts';
import { type SessionActor, sessionOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
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

export const authenticationEntries = implement(authentication, {
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
});
