import { encode } from 'jose/base64url';
import type { Call } from '../../call/call.ts';
import type { LoginProgress } from '../../contract/api/auth-requests.ts';
import { type HttpOutput, redirect } from '../../contract/api/surfaces/http-output.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { plainRefusal } from './answers.ts';
import { pendingFactors } from './factors.ts';
import { reachedIssuer } from './provider.ts';
import { withParameters } from './redirect-uris.ts';
import { authRequestOf, loginOf, storeProgress } from './requests.ts';

/** Maximum number of valid codes per login. Each callback issues another one. */
const MAX_CODES = 10;

interface CallbackFields {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * True if a callback has the key that the last page of the login gave to its browser. It is required in addition to the cookie, because a
 * page of another site can make the browser follow a link, but does not know the key.
 */
const hasKey = ({ browser, pageKey }: LoginProgress, key: string | undefined): boolean =>
  (browser == null && pageKey == null) || (key !== undefined && hashToken(key) === pageKey);

/** The login that a callback belongs to, and whether it is complete. Undefined if this caller has no such login. */
const callbackLogin = async (entities: Entities, call: Call, { id, key }: CallbackFields) => {
  const row = await authRequestOf(entities, call, id);
  const login = await loginOf(entities, call, row);
  if (!row || (login && !hasKey(row.progress, key))) return undefined;
  return { row, isComplete: login !== undefined && (await pendingFactors(entities, login)).length === 0 };
};

/** Ends a login: redirects to the client with a code, or with an error if the login is incomplete. */
export const callback = async (call: Call, fields: CallbackFields): Promise<HttpOutput> => {
  await reachedIssuer(call);
  // Checked first without a write permit, because anyone may call this and could otherwise keep writers busy.
  const found = await call.read((entities) => callbackLogin(entities, call, fields));
  // The prefix is the id of the login, for the lookup. The suffix, 256 random bits, is the secret.
  const code = `${fields.id}.${encode(call.core.platform.random.bytes(32))}`;
  const outcome = !found?.isComplete
    ? found
    : await call.write(async (entities) => {
        const login = await callbackLogin(entities, call, fields);
        if (login?.isComplete)
          await storeProgress(entities, login.row, { codes: [...login.row.progress.codes, hashToken(code)].slice(-MAX_CODES) });
        return login;
      });
  if (!outcome)
    return plainRefusal(call, 'There is no such login: it has ended, it was begun in another browser, or the browser sent no cookie.');
  const { isComplete } = outcome;
  const { request } = outcome.row;
  const state = request.state ?? undefined;
  const parameters = isComplete
    ? { code, state }
    : { error: 'interaction_required', error_description: 'the login is not complete', state };
  return redirect(withParameters(request.redirectUri, parameters));
};
