import { apiSession } from '../../../api/api-sessions.ts';
import { authPolicy } from '../../../api/auth-policies.ts';
import { authRequest, type ClientRequest, type LoginProgress } from '../../../api/auth-requests.ts';
import { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { networkOf } from '../../../platform/addresses.ts';
import { MINUTE } from '../../../platform/durations.ts';
import { ALL, dateField } from '../../../query/index.ts';
import { browserOf } from './browser.ts';
import { providerOf } from './provider.ts';

/** A login that is under way, as it is stored. */
export interface AuthRequest extends RowOf<typeof authRequest> {
  readonly request: ClientRequest;
  readonly progress: LoginProgress;
}

/** A login whose primary step has succeeded. */
export interface Login {
  readonly row: AuthRequest;
  readonly session: RowOf<typeof apiSession>;
  readonly owner: RowOf<typeof identity>;
  readonly policy: RowOf<typeof authPolicy>;
}

/** How long a login may take. ms */
export const LOGIN_LIFETIME = 10 * MINUTE;
/** Longer ids name nothing. */
const LONGEST_ID = 40;

/** Bytes of a request as it is stored; those of clients of the field have some 500. */
export const MAX_REQUEST_BYTES = 4096;
/** Logins that are stored at a time, 100 MiB at most: anyone may begin one. Older ones make room for new ones. */
const MAX_AUTH_REQUESTS = 25_000;
/** Logins that one new login looks at, and removes at most, where all places are taken. */
const OLDEST = 100;

/**
 * Stores the beginning of a login.
 * @param request of `MAX_REQUEST_BYTES` at most
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when its place in the queue is lost to other addresses
 */
export const newAuthRequest = (call: Call, request: ClientRequest): Promise<RowOf<typeof authRequest>> => {
  const { remoteAddress, signal, isJoined } = call;
  const store = () => call.write((entities) => inserted(entities, call, request));
  // A call in a transaction of the host does not queue: calls ahead of it may wait for that transaction.
  return isJoined ? store() : providerOf(call).loginStarts.run({ from: networkOf(remoteAddress), signal }, store);
};

const inserted = async (entities: Entities, call: Call, request: ClientRequest): Promise<RowOf<typeof authRequest>> => {
  await makeRoom(entities);
  return entities.insert(authRequest, {
    id: call.core.platform.random.uuid(),
    request,
    progress: { amr: [], wrongCodes: 0, authTime: null, codes: [], isRedeemed: false, browser: null, pageKey: null },
    apiSessionId: null,
    endsAt: new Date(Date.parse(call.now()) + LOGIN_LIFETIME).toISOString(),
  });
};

/** Strangers push out no login whose first step was made, unless very many are older than what they began; none is kept because of that alone. */
const makeRoom = async (entities: Entities): Promise<void> => {
  const excess = (await entities.count(authRequest, ALL)) - MAX_AUTH_REQUESTS + 1;
  if (excess <= 0) return;
  const oldest = await entities.list(authRequest, { where: ALL, sort: [{ field: dateField('endsAt'), descending: false }], limit: OLDEST });
  const [unproved, proved] = [oldest.filter(({ apiSessionId }) => !apiSessionId), oldest.filter(({ apiSessionId }) => apiSessionId)];
  for (const row of [...unproved, ...proved].slice(0, excess)) await entities.remove(authRequest, row);
};

/** A login by its id, for those whose right to it is proved otherwise: by a code. Undefined for one that is unknown or too old. */
export const storedRequest = async (entities: Entities, call: Call, id: string | undefined): Promise<AuthRequest | undefined> => {
  if (id === undefined || id === '' || id.length > LONGEST_ID) return undefined;
  const row = await entities.get(authRequest, id);
  const { request, progress } = row ?? {};
  return row && request && progress && (row.endsAt ?? '') > call.now() ? { ...row, request, progress } : undefined;
};

/**
 * A login that is under way, for its next step. One that began on a page is valid in its own browser only: the party that began the authorization knows the id,
 * and may have sent another person to the page.
 */
export const authRequestOf = async (entities: Entities, call: Call, id: string | undefined): Promise<AuthRequest | undefined> => {
  const row = await storedRequest(entities, call, id);
  return row && !row.progress.isRedeemed && isOfBrowser(call, row.progress) ? row : undefined;
};

const isOfBrowser = (call: Call, { browser }: LoginProgress): boolean => browser == null || browser === browserOf(call);

/** The same, once its primary step has succeeded, and as long as that counts. */
export const loginOf = async (entities: Entities, call: Call, row: AuthRequest | undefined): Promise<Login | undefined> => {
  if (!row?.apiSessionId || row.progress.amr.length === 0) return undefined;
  const session = await entities.get(apiSession, row.apiSessionId);
  const owner = session && (await entities.get(identity, session.identityId));
  const policy = owner && (await entities.get(authPolicy, owner.authPolicyId));
  return session?.bearer && policy && !isDisabled(owner, call.now()) ? { row, session, owner, policy } : undefined;
};

export const storeProgress = (entities: Entities, row: AuthRequest, progress: Partial<LoginProgress>) =>
  entities.update(authRequest, row, { progress: { ...row.progress, ...progress } });
