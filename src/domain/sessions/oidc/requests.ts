import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { apiSession } from '../../../api/api-sessions.ts';
import { authPolicy } from '../../../api/auth-policies.ts';
import { authRequest, type ClientRequest, type LoginProgress } from '../../../api/auth-requests.ts';
import { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { MINUTE } from '../../../platform/durations.ts';

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
const LIFETIME = 10 * MINUTE;
/** Longer ids name nothing. */
const LONGEST_ID = 40;

export const newAuthRequest = (call: Call, request: ClientRequest): Promise<RowOf<typeof authRequest>> =>
  call.write((entities) =>
    entities.insert(authRequest, {
      id: call.core.platform.random.uuid(),
      request,
      progress: { amr: [], wrongCodes: 0, authTime: null, codes: [], isRedeemed: false, pageKey: null },
      apiSessionId: null,
      endsAt: new Date(Date.parse(call.now()) + LIFETIME).toISOString(),
    }),
  );

/** A login that is under way; undefined for one that is unknown or over. One whose code was redeemed is over, but for the code itself. */
export const authRequestOf = async (
  entities: Entities,
  call: Call,
  id: string | undefined,
  { evenRedeemed = false } = {},
): Promise<AuthRequest | undefined> => {
  if (id === undefined || id === '' || id.length > LONGEST_ID) return undefined;
  const row = await entities.get(authRequest, id);
  const { request, progress } = row ?? {};
  if (!row || !request || !progress || (row.endsAt ?? '') <= call.now()) return undefined;
  return progress.isRedeemed && !evenRedeemed ? undefined : { ...row, request, progress };
};

/** The same, once its primary step has succeeded, and as long as that counts. */
export const loginOf = async (entities: Entities, call: Call, row: AuthRequest | undefined): Promise<Login | undefined> => {
  if (!row?.apiSessionId || row.progress.amr.length === 0) return undefined;
  const session = await entities.get(apiSession, row.apiSessionId);
  const owner = session && (await entities.get(identity, session.identityId));
  const policy = owner && (await entities.get(authPolicy, owner.authPolicyId));
  return session?.bearer && policy && !isDisabled(owner, call.now()) ? { row, session, owner, policy } : undefined;
};

export const noteProgress = (entities: Entities, row: AuthRequest, progress: Partial<LoginProgress>) =>
  entities.update(authRequest, row, { progress: { ...row.progress, ...progress } });

/** How codes are kept. */
export const hashOfCode = (code: string): string => bytesToHex(sha256(utf8ToBytes(code)));
