import type * as z from 'zod';
import { processKey } from '../../access/posture/responses.ts';
import { apiSessionsOf } from '../../call/authentication/api-sessions.ts';
import { hasEnded } from '../../call/authentication/lifetime.ts';
import type { Call } from '../../call/call.ts';
import { type apiSession, identity, postureData } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { identityPostureData } from '../../contract/api/posture-data.ts';

type PostureDataDetail = z.infer<typeof identityPostureData>;

/** Presents the facts that the endpoints of an identity have reported to administrators. */
export const postureDataFor = (call: Call, { id }: { readonly id: string }): Promise<PostureDataDetail> =>
  call.read(async (entities) => {
    await entities.require(identity, id);
    const row = await entities.get(postureData, id);
    const live = (await apiSessionsOf(entities, id)).filter((session) => !hasEnded(call.core.settings, session, call.now()));
    const reported = (fact: { readonly postureCheckId: string } | null | undefined, key: string) => ({
      postureCheckId: fact?.postureCheckId ?? '',
      lastUpdatedAt: row?.toldAt?.[key] ?? null,
      timedOut: false,
    });
    return {
      mac: { ...reported(row?.mac, 'mac'), addresses: row?.mac ? [...row.mac.addresses] : null },
      domain: { ...reported(row?.domain, 'domain'), domain: row?.domain?.domain ?? null },
      os: { ...reported(row?.os, 'os'), type: row?.os?.type ?? null, version: row?.os?.version ?? null, build: row?.os?.build ?? null },
      processes: (row?.processes ?? []).map((process) => ({
        ...reported(process, processKey(process.postureCheckId)),
        ...(process.hash ? { binaryHash: process.hash } : {}),
        ...(process.isRunning ? { isRunning: true } : {}),
        signerFingerprints: process.signerFingerprints?.length ? [...process.signerFingerprints] : null,
      })),
      apiSessionPostureData: Object.fromEntries(live.map((session) => [session.id, ofSession(session)])),
    };
  });

const ofSession = ({
  id,
  mfaPassedAt,
  wokenAt,
  unlockedAt,
  sdkInfo,
}: RowOf<typeof apiSession>): PostureDataDetail['apiSessionPostureData'][string] => {
  const passedSince = (at: string | null) => mfaPassedAt !== null && (at === null || at < mfaPassedAt);
  return {
    endpointState: { wokenAt, unlockedAt },
    mfa: {
      apiSessionId: id,
      passedMfa: mfaPassedAt !== null,
      passedAt: mfaPassedAt,
      passedOnWake: passedSince(wokenAt),
      passedOnUnlock: passedSince(unlockedAt),
    },
    sdkInfo: sdkInfo ?? {},
  };
};
