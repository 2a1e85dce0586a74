import type * as z from 'zod';
import type { authentication, authenticationMethod } from '../../../api/authentication.ts';
import { apiSession, identity } from '../../../api/kinds.ts';
import type { InputOf, RowOf } from '../../../api/kit/index.ts';
import { apiSessionActor } from '../../../authentication/actors.ts';
import { endApiSessions } from '../../../authentication/api-sessions.ts';
import { hasMfa } from '../../../authentication/factors.ts';
import { idleSince } from '../../../authentication/lifetime.ts';
import type { ApiSessionActor } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import type { Settings } from '../../../call/settings.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError } from '../../../errors/index.ts';
import { compareText, dateField } from '../../../query/index.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { requestedConfigTypes } from '../../catalogue/services/config-data.ts';

export type LoginBody = NonNullable<InputOf<(typeof authentication)['operations']['authenticate']>['body']>;

/** A login method. @throws ApiError `INVALID_AUTH` if the caller does not prove an identity that may use this method */
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
    configTypes: [...(await requestedConfigTypes(entities, body.configTypes ?? []))].sort(compareText),
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

/** Updates an identity with the environment and SDK that its client reports at login, if they have changed. */
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

/** Some of the sessions that have timed out: each login removes a few, so that they do not accumulate. */
const someIdleSessions = (entities: Entities, settings: Settings, now: string): Promise<readonly RowOf<typeof apiSession>[]> =>
  entities.list(apiSession, {
    where: { op: 'compare', field: dateField('lastActivityAt'), is: '<=', value: idleSince(settings, now) },
    sort: [{ field: dateField('lastActivityAt'), descending: false }],
    limit: 10,
  });
