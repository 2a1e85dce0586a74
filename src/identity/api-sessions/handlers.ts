import { lastServiceChange } from '../../access/services/last-change.ts';
import { apiSessionOf } from '../../call/actor.ts';
import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import { LISTED } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, listRows } from '../../call/resources/crud.ts';
import { apiSession, apiSessions, currentApiSession } from '../../contract/api/api-sessions.ts';
import { ApiError, notFound } from '../../contract/errors/index.ts';
import { withCode } from '../mfa/codes.ts';
import { presentOwnSession, presentTokenAsSession } from './present.ts';
import { storeRevocation } from './revocations.ts';

/**
 * Issues a signed token of the provider that proves the second factor to third parties. This controller does not accept it.
 * @throws ApiError `INVALID_BACKING_TOKEN_TYPE` if the session has no signed tokens; `MFA_INVALID_TOKEN`, `MFA_NOT_ENROLLED`
 */
const createTotpToken = async (call: Call, { body: { code } }: { readonly body: { readonly code: string } }) => {
  const { presented, session, identity } = apiSessionOf(call.actor);
  const { provider, platform } = call.core;
  if (!presented || !provider) throw new ApiError('INVALID_BACKING_TOKEN_TYPE');
  await withCode(call, 'prove', code, async () => undefined);
  const iat = Math.floor(Date.parse(call.now()) / 1000);
  const { iss, aud } = presented.claims;
  const token = await provider.keys.sign({
    iss: String(iss).replace(/\/oidc$/, ''),
    sub: identity.id,
    aud,
    iat,
    jti: platform.random.uuid(),
    z_asid: session.id,
    z_t: 't',
  });
  return { issuedAt: new Date(iat * 1000).toISOString(), token };
};

const defaultHandlers = crudHandlers(apiSessions, apiSession);

/** @throws ApiError `NOT_FOUND` if the session has signed tokens */
const assertListed = async (call: Call, id: string): Promise<void> => {
  const row = await call.read((entities) => entities.get(apiSession, id));
  if (row?.isBearer) throw notFound(apiSession.kind, id);
};

export const apiSessionEntries = [
  ...implement(apiSessions, {
    // Sessions with signed tokens are not listed.
    list: (call, query) => call.read((entities) => listRows(entities, apiSession, query, call, { within: LISTED })),
    get: async (call, { id }) => {
      await assertListed(call, id);
      return defaultHandlers.get(call, { id });
    },
    delete: async (call, { id }) => {
      await assertListed(call, id);
      return defaultHandlers.delete(call, { id });
    },
  }),
  ...implement(currentApiSession, {
    get: (call) =>
      call.read((entities) =>
        call.actor.kind === 'token'
          ? presentTokenAsSession(entities, call.actor, call)
          : presentOwnSession(entities, apiSessionOf(call.actor), call),
      ),
    delete: async (call) => {
      const { session, presented } = apiSessionOf(call.actor);
      await call.write(async (entities) => {
        await endApiSessions(entities, [await entities.require(apiSession, session.id)]);
        if (presented) await storeRevocation(entities, call, { id: session.id, type: 'API_SESSION' });
      });
      return {};
    },
    getServiceUpdates: lastServiceChange,
    createTotpToken,
  }),
];
