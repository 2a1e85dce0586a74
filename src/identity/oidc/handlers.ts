import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { oidc } from '../../contract/api/oidc.ts';
import { oidcLogin } from '../../contract/api/oidc-login.ts';
import { unauthorized } from '../../contract/errors/index.ts';
import { TEXT_TYPE } from '../../contract/wire/media-types.ts';
import { wantsPage } from './answers.ts';
import { beginLogin } from './authorize.ts';
import { callback } from './callback.ts';
import { discover } from './discovery.ts';
import { isTotp, pendingFactors } from './factors.ts';
import { issueTokens } from './grants.ts';
import { introspect, userinfoOf } from './introspection.ts';
import { pagesFor } from './pages/language.ts';
import { messagePage } from './pages/pages.ts';
import { providerOf, reachedIssuer } from './provider.ts';
import { authRequestOf, loginOf } from './requests.ts';
import { endSession, revokeToken } from './revoke.ts';
import { idOfStep, primaryStep, stepPage } from './steps.ts';
import { enrollStep, removeStep, totpStep, verifyStep } from './totp.ts';

const ok = async (call: Call) => {
  await reachedIssuer(call);
  return { status: 'ok' };
};

export const oidcEntries = [
  ...implement(oidc, {
    discover,
    listKeys: async (call) => {
      await reachedIssuer(call);
      return { keys: [...providerOf(call).keys.published] };
    },
    authorize: beginLogin,
    authorizeByForm: (call, { body = {}, ...query }) => beginLogin(call, { ...query, ...body }),
    callback,
    token: (call, { body = {} }) => issueTokens(call, body),
    getUserinfo: userinfoOf,
    postUserinfo: userinfoOf,
    introspect: (call, { body = {} }) => introspect(call, body),
    revoke: (call, { body = {} }) => revokeToken(call, body),
    revokeAlias: (call, { body = {} }) => revokeToken(call, body),
    endSession,
    endSessionByForm: (call, { body = {}, ...query }) => endSession(call, { ...query, ...body }),
    loggedOut: async (call) => {
      await reachedIssuer(call);
      const pages = pagesFor(call);
      const { loggedOut } = pages.texts;
      return wantsPage(call)
        ? messagePage(pages, loggedOut, pages.name)
        : { contentType: `${TEXT_TYPE}; charset=utf-8`, body: `${loggedOut}\n` };
    },
    getHealth: ok,
    getReady: ok,
  }),
  ...implement(oidcLogin, {
    usernamePage: stepPage('password'),
    passwordPage: stepPage('password'),
    certPage: stepPage('cert'),
    extJwtPage: stepPage('ext-jwt'),
    byUsername: primaryStep('password'),
    byPassword: primaryStep('password'),
    byCert: primaryStep('cert'),
    byExtJwt: primaryStep('ext-jwt'),
    totp: totpStep,
    enrollTotp: enrollStep,
    removeTotp: removeStep,
    verifyTotp: verifyStep,
    listAuthQueries: async (call, input) => {
      await reachedIssuer(call);
      const queries = await call.read(async (entities) => {
        const row = await authRequestOf(entities, call, idOfStep(input));
        if (!row) throw unauthorized('there is no such login in progress');
        const login = await loginOf(entities, call, row);
        return login ? pendingFactors(entities, login) : [];
      });
      if (queries.some(isTotp)) call.answerHeaders.set('totp-required', 'true');
      return { authQueries: queries.length > 0 ? [...queries] : null };
    },
  }),
];
