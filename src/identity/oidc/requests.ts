import { isDisabled } from '../../call/authentication/actors.ts';
import type { Call } from '../../call/call.ts';
import type { ClientRequest, LoginProgress } from '../../contract/api/auth-requests.ts';
import { apiSession, authPolicy, authRequest, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ALL, dateField } from '../../query/index.ts';
import { networkOf } from '../../runtime/platform/addresses.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { browserOf, LOGIN_LIFETIME } from './browser.ts';
import { providerOf } from './provider.ts';

/** The stored state of a login. */
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

/** Maximum length of an id. */
const MAX_ID_LENGTH = 40;

/** Maximum size of a stored request in bytes; common clients send about 500. */
export const MAX_REQUEST_BYTES = 4096;
/**
 * Maximum number of stored logins, because anyone may begin one: about 100 MiB, and as much again for certificate requests, which only
 * users with valid credentials can store. New ones replace the oldest.
 */
const MAX_AUTH_REQUESTS = 25_000;
/** Maximum number of logins that a new login considers for removal if the limit is reached. */
const MAX_EXAMINED = 100;

/**
 * Stores the beginning of a login.
 * @param request at most `MAX_REQUEST_BYTES` long
 * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if the login is dropped from the queue in favour of other addresses
 */
export const newAuthRequest = (call: Call, request: ClientRequest): Promise<RowOf<typeof authRequest>> => {
  const { remoteAddress, signal, isJoined } = call;
  const store = () => call.write((entities) => insertRequest(entities, call, request));
  // A call in the host's transaction bypasses the queue, because calls ahead of it may be waiting for that transaction.
  return isJoined ? store() : providerOf(call).loginStarts.run({ from: networkOf(remoteAddress), signal }, store);
};

const insertRequest = async (entities: Entities, call: Call, request: ClientRequest): Promise<RowOf<typeof authRequest>> => {
  await makeRoom(entities);
  return entities.insert(authRequest, {
    id: call.core.platform.random.uuid(),
    request,
    progress: { amr: [], wrongCodes: 0, authTime: null, codes: [], isRedeemed: false, browser: null, pageKey: null },
    apiSessionId: null,
    endsAt: new Date(Date.parse(call.now()) + LOGIN_LIFETIME).toISOString(),
  });
};

/** If there are too many logins, removes some of the oldest: first logins whose primary step has not succeeded. */
const makeRoom = async (entities: Entities): Promise<void> => {
  const excess = (await entities.count(authRequest, ALL)) - MAX_AUTH_REQUESTS + 1;
  if (excess <= 0) return;
  const oldest = await entities.list(authRequest, {
    where: ALL,
    sort: [{ field: dateField('endsAt'), descending: false }],
    limit: MAX_EXAMINED,
  });
  const [unproved, proved] = [oldest.filter(({ apiSessionId }) => !apiSessionId), oldest.filter(({ apiSessionId }) => apiSessionId)];
  for (const row of [...unproved, ...proved].slice(0, excess)) await entities.remove(authRequest, row);
};

/** Loads a login by its id, regardless of its browser; undefined if it is unknown or expired. */
export const storedRequest = async (entities: Entities, call: Call, id: string | undefined): Promise<AuthRequest | undefined> => {
  if (id === undefined || id === '' || id.length > MAX_ID_LENGTH) return undefined;
  const row = await entities.get(authRequest, id);
  const { request, progress } = row ?? {};
  return row && request && progress && (row.endsAt ?? '') > call.now() ? { ...row, request, progress } : undefined;
};

/**
 * Loads a login in progress, for its next step. A login that began on a page is valid only in the same browser: the party that began the
 * authorization knows the id, and may have sent another person to the page.
 */
export const authRequestOf = async (entities: Entities, call: Call, id: string | undefined): Promise<AuthRequest | undefined> => {
  const row = await storedRequest(entities, call, id);
  return row && !row.progress.isRedeemed && isOfBrowser(call, row.progress) ? row : undefined;
};

const isOfBrowser = (call: Call, { browser }: LoginProgress): boolean => browser == null || browser === browserOf(call);

/** A login whose primary step has succeeded; undefined if its session has ended or its identity is disabled. */
export const loginOf = async (entities: Entities, call: Call, row: AuthRequest | undefined): Promise<Login | undefined> => {
  if (!row?.apiSessionId || row.progress.amr.length === 0) return undefined;
  const session = await entities.get(apiSession, row.apiSessionId);
  const owner = session && (await entities.get(identity, session.identityId));
  const policy = owner && (await entities.get(authPolicy, owner.authPolicyId));
  return session?.bearer && policy && !isDisabled(owner, call.now()) ? { row, session, owner, policy } : undefined;
};

export const storeProgress = (entities: Entities, row: AuthRequest, progress: Partial<LoginProgress>) =>
  entities.update(authRequest, row, { progress: { ...row.progress, ...progress } });
