import { apiSessionOf } from '../../call/actor.ts';
import { withSecondFactor } from '../../call/authentication/factors.ts';
import { implement } from '../../call/implement.ts';
import { authentication } from '../../contract/api/authentication.ts';
import { mfa } from '../../contract/api/mfa.ts';
import { presentOwnSession } from '../api-sessions/present.ts';
import { withCode } from '../mfa/codes.ts';
import { passMfa } from '../mfa/record.ts';
import { openSession } from './login.ts';
import { loginMethods } from './methods.ts';
import { observedCode, observedLogin } from './observed.ts';

export const authenticationEntries = implement(authentication, {
  authenticate: async (call, { method, body = {} }) => {
    const proven = await observedLogin(call, method, () => loginMethods[method](call, body, openSession));
    const actor = await withSecondFactor(call, proven);
    call.answerHeaders.set('zt-session', actor.token);
    const detail = await call.read((entities) => presentOwnSession(entities, actor, call));
    call.answerHeaders.set('expiration-seconds', String(detail.expirationSeconds)).set('expires-at', detail.expiresAt);
    return detail;
  },
  authenticateMfa: async (call, { body }) => {
    await observedCode(call, () =>
      withCode(call, 'login', body.code, async (entities, row, spent) => {
        await entities.update(mfa, row, spent);
        await passMfa(entities, apiSessionOf(call.actor).session.id, call.now());
      }),
    );
    return {};
  },
});
