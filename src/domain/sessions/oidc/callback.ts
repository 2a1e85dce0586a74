import { encode } from 'jose/base64url';
import type { LoginProgress } from '../../../api/auth-requests.ts';
import { type HttpOutput, redirect } from '../../../api/surfaces/http-output.ts';
import type { Call } from '../../../call/call.ts';
import { plainRefusal } from './answers.ts';
import { owedBy } from './factors.ts';
import { reachedIssuer } from './provider.ts';
import { withParameters } from './redirect-uris.ts';
import { authRequestOf, hashOfCode, loginOf, noteProgress } from './requests.ts';

/** Codes of one login that are good at a time; each call of the callback gives another. */
const MOST_CODES = 10;

interface CallbackFields {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Whether the callback comes from who completed the login. On a page that may be somebody whom another has sent there, who knows the id as well, and would
 * get the code in their place; so the page's answer tells a key to the one browser that it goes to.
 */
const isOfWhoCompleted = ({ pageKey }: LoginProgress, key: string | undefined): boolean =>
  pageKey == null || (key !== undefined && hashOfCode(key) === pageKey);

/** Ends a login: gives the client a code, or tells it that the login is not complete. */
export const callback = async (call: Call, { id, key }: CallbackFields): Promise<HttpOutput> => {
  await reachedIssuer(call);
  // The id in front finds the login; what proves anything is the rest: 256 random bits.
  const code = `${id}.${encode(call.core.platform.random.bytes(32))}`;
  const outcome = await call.write(async (entities) => {
    const row = await authRequestOf(entities, call, id);
    const login = await loginOf(entities, call, row);
    if (row && login && !isOfWhoCompleted(row.progress, key)) return undefined;
    const isComplete = login !== undefined && (await owedBy(entities, login)).length === 0;
    if (row && isComplete) await noteProgress(entities, row, { codes: [...row.progress.codes, hashOfCode(code)].slice(-MOST_CODES) });
    return row && { request: row.request, isComplete };
  });
  if (!outcome) return plainRefusal(call, 'there is no such login, or it is over');
  const { request, isComplete } = outcome;
  const state = request.state ?? undefined;
  const parameters = isComplete
    ? { code, state }
    : { error: 'interaction_required', error_description: 'the login is not complete', state };
  return redirect(withParameters(request.redirectUri, parameters));
};
