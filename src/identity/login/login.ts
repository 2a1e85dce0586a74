import type * as z from 'zod';
import { resolveConfigTypes } from '../../access/services/config-data.ts';
import type { ApiSessionActor } from '../../call/actor.ts';
import { apiSessionActor } from '../../call/authentication/actors.ts';
import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import { hasMfa } from '../../call/authentication/factors.ts';
import { idleSince } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import type { Settings } from '../../call/settings.ts';
import type { authentication, authenticationMethod } from '../../contract/api/authentication.ts';
import { apiSession, identity } from '../../contract/api/kinds.ts';
import type { InputOf, RowOf } from '../../contract/api/kit/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { compareText, dateField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

export type LoginBody = NonNullable<InputOf<(typeof authentication)['operations']['authenticate']>['body']>;

/**
 * A login method.
 * @throws ApiError `INVALID_AUTH` if the caller does not prove an identity that may use this method
 */
type LoginMethod = (call: Call, body: LoginBody, open: OpenSession) => Promise<ApiSessionActor>;

/** The login method for each name that the contract declares. */
export type LoginMethods = { readonly [M in z.infer<typeof authenticationMethod>]: LoginMethod };

/** The error for every failed login, whatever the reason. */
export const invalidAuth = (): ApiError => new ApiError('INVALID_AUTH');

export type CertificateFields = Pick<
  RowOf<typeof apiSession>,
  'isCertExtendable' | 'isCertExtendRequested' | 'isCertKeyRollRequested' | 'improperClientCertChain' | 'caId'
>;

/** Certificate fields of an API session whose login used no certificate. */
export const noCertificate: CertificateFields = {
  isCertExtendable: false,
  isCertExtendRequested: false,
  isCertKeyRollRequested: false,
  improperClientCertChain: false,
  caId: null,
};

/** The identity that was authenticated in this transaction, and the authenticator that it used. */
export interface Authenticated {
  readonly owner: RowOf<typeof identity>;
  readonly authenticatorId: string;
  readonly certificate?: CertificateFields;
}

/** Opens the session of a successful login. */
export type OpenSession = (entities: Entities, authenticated: Authenticated, body: LoginBody, call: Call) => Promise<ApiSessionActor>;

/** Opens an API session for an identity that was authenticated in this transaction, and stores what the client reported about itself. */
export const openSession: OpenSession = async (entities, { owner, authenticatorId, certificate = noCertificate }, body, call) => {
  const { core } = call;
  const now = call.now();
  await endApiSessions(entities, await someIdleSessions(entities, core.settings, now));
  const current = await storeClientInfo(entities, owner, body);
  const token = core.platform.random.uuid();
  const session = await entities.insert(apiSession, {
    identityId: owner.id,
    authenticatorId,
    tokenHash: hashToken(token),
    ipAddress: call.remoteAddress,
    configTypes: [...(await resolveConfigTypes(entities, body.configTypes ?? []))].sort(compareText),
    isMfaRequired: await hasMfa(entities, owner.id),
    isMfaComplete: false,
    mfaPassedAt: null,
    ...certificate,
    lastActivityAt: now,
    wokenAt: null,
    unlockedAt: null,
    sdkInfo: body.sdkInfo ?? null,
    isBearer: false,
    isKnownToRouters: false,
    endsAt: null,
    tokenIds: [],
    bearer: null,
  });
  return apiSessionActor(entities, session, current, token);
};

/** Stores the environment and SDK that the client reports at login, if they have changed. */
export const storeClientInfo = async (
  entities: Entities,
  owner: RowOf<typeof identity>,
  { envInfo, sdkInfo }: Pick<LoginBody, 'envInfo' | 'sdkInfo'>,
): Promise<RowOf<typeof identity>> => {
  const reported = { ...(envInfo ? { envInfo } : {}), ...(sdkInfo ? { sdkInfo } : {}) };
  const hasChanged = Object.entries(reported).some(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(owner[key as keyof typeof reported]),
  );
  return hasChanged ? entities.update(identity, owner, reported) : owner;
};

/** Maximum number of timed-out API sessions that a login removes. */
const MAX_REMOVED = 10;

/** Some API sessions that have timed out. Each login removes a few, so that they do not accumulate. */
const someIdleSessions = (entities: Entities, settings: Settings, now: string): Promise<readonly RowOf<typeof apiSession>[]> =>
  entities.list(apiSession, {
    where: { op: 'compare', field: dateField('lastActivityAt'), is: '<=', value: idleSince(settings, now) },
    sort: [{ field: dateField('lastActivityAt'), descending: false }],
    limit: MAX_REMOVED,
  });
