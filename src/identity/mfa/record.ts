import { apiSessionsOf } from '../../call/authentication/api-sessions.ts';
import type { Core } from '../../call/core.ts';
import { newRow } from '../../call/resources/merge.ts';
import { apiSession, mfa } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { isEqual, toBytes } from '../../runtime/platform/password-hasher.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealText, unsealText } from '../../store/entities/sealed.ts';
import { newTotpSecret, randomBase32 } from './totp.ts';

const CODE_COUNT = 20;
const CODE_LENGTH = 6;

/** Creates distinct recovery codes. */
export const newRecoveryCodes = (random: Pick<Random, 'bytes'>): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < CODE_COUNT) codes.add(randomBase32(random, CODE_LENGTH));
  return [...codes];
};

/** The index of a code in the list. Compares it with every code, in constant time, so that timing does not reveal the index. */
export const indexOfCode = (codes: readonly string[], code: string): number | undefined => {
  const bytes = toBytes(code);
  const indexes = codes.flatMap((each, index) => (isEqual(bytes, toBytes(each)) ? [index] : []));
  return indexes[0];
};

export type StoredMfa = RowOf<typeof mfa>;
type Sealing = Pick<Core, 'secrets' | 'platform'>;

/** The fields of a new MFA enrollment, with a new secret and recovery codes. */
export const newMfa = async ({ secrets, platform }: Sealing, identityId: string) =>
  newRow(
    mfa,
    {},
    {
      identityId,
      sealedSecret: await sealText(secrets, mfa, 'sealedSecret', { identityId }, newTotpSecret(platform.random)),
      ...(await newSealedRecoveryCodes({ secrets, platform }, identityId)),
    },
  );

/** The fields for new, unused recovery codes. */
export const newSealedRecoveryCodes = async ({ secrets, platform }: Sealing, identityId: string) => ({
  sealedRecoveryCodes: await sealText(
    secrets,
    mfa,
    'sealedRecoveryCodes',
    { identityId },
    JSON.stringify(newRecoveryCodes(platform.random)),
  ),
  spentRecoveryCodes: [],
});

export const totpSecretOf = ({ secrets }: Pick<Core, 'secrets'>, row: StoredMfa): Promise<string> =>
  unsealText(secrets, mfa, 'sealedSecret', row);

/** All recovery codes, including used ones. */
export const allRecoveryCodes = async ({ secrets }: Pick<Core, 'secrets'>, row: StoredMfa): Promise<readonly string[]> =>
  JSON.parse(await unsealText(secrets, mfa, 'sealedRecoveryCodes', row));

/** The recovery codes that have not been used. */
export const unusedRecoveryCodes = async (core: Pick<Core, 'secrets'>, row: StoredMfa): Promise<readonly string[]> =>
  (await allRecoveryCodes(core, row)).filter((_, index) => !row.spentRecoveryCodes?.includes(index));

/** Records that a session has just passed the second factor. */
export const passMfa = async (entities: Entities, sessionId: string, now: string): Promise<void> => {
  const session = await entities.require(apiSession, sessionId);
  await entities.update(apiSession, session, { isMfaRequired: true, isMfaComplete: true, mfaPassedAt: now });
};

/** Ends an MFA enrollment. If the policy requires TOTP, sessions that have passed a code must pass one again. */
export const endMfa = async (entities: Entities, row: StoredMfa): Promise<void> => {
  for (const session of await apiSessionsOf(entities, row.identityId)) {
    if (session.mfaPassedAt) await entities.update(apiSession, session, { mfaPassedAt: null });
  }
  await entities.remove(mfa, row);
};

export const notEnrolled = (): ApiError =>
  new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message: 'the identity of this session has no MFA in this state' } });
