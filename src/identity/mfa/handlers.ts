import { apiSessionOf, identityOf } from '../../call/actor.ts';
import { mfaOf } from '../../call/authentication/factors.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { currentMfa, mfa } from '../../contract/api/mfa.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { encodeQrCode } from '../../crypto/qr/qr-code.ts';
import { withCode } from './codes.ts';
import {
  allRecoveryCodes,
  endMfa,
  newMfa,
  newSealedRecoveryCodes,
  notEnrolled,
  passMfa,
  type StoredMfa,
  totpSecretOf,
  unusedRecoveryCodes,
} from './record.ts';
import { provisioningUrl } from './totp.ts';

const PATH = './current-identity/mfa';
const SELF = { self: { href: PATH } };
const links = ({ isVerified }: StoredMfa) => ({
  ...SELF,
  'current-identity': { href: './current-identity' },
  ...(isVerified
    ? { 'recovery-codes': { href: `${PATH}/recovery-codes` } }
    : { qr: { href: `${PATH}/qr-code` }, verify: { href: `${PATH}/verify` } }),
});

const commonFields = (row: StoredMfa) => ({
  _links: links(row),
  createdAt: row.createdAt,
  id: row.id,
  tags: row.tags,
  updatedAt: row.updatedAt,
});

/** @throws ApiError `NOT_FOUND` */
const requireOwn = async (call: Call): Promise<StoredMfa> => {
  const row = await call.read((entities) => mfaOf(entities, identityOf(call.actor).id));
  if (!row) throw notEnrolled();
  return row;
};

/** The origin of an enrollment: the API session that began it. */
const originOf = ({ actor }: Call): string => `session:${apiSessionOf(actor).session.id}`;

/**
 * True if the call may see the secret and the recovery codes: only in the API session that began the enrollment, because others may have
 * been opened with a stolen password.
 */
const maySeeSecrets = (call: Call, { isVerified, begunIn }: StoredMfa): boolean =>
  !isVerified && call.actor.kind === 'session' && begunIn === originOf(call);

const urlOf = async ({ actor, core }: Call, row: StoredMfa): Promise<string> =>
  provisioningUrl(core.settings.mfaIssuer, identityOf(actor).name, await totpSecretOf(core, row));

export const currentMfaEntries = implement(currentMfa, {
  enroll: async (call) => {
    const { id: identityId } = identityOf(call.actor);
    const newRow = await newMfa(call.core, identityId);
    const { id } = await call.write(async (entities) => {
      if (await mfaOf(entities, identityId)) throw new ApiError('MFA_EXISTS');
      return entities.insert(mfa, { ...newRow, begunIn: originOf(call) });
    });
    return { id, _links: SELF };
  },
  get: async (call) => {
    const row = await requireOwn(call);
    const { isVerified } = row;
    if (!maySeeSecrets(call, row)) return { ...commonFields(row), isVerified, recoveryCodes: null };
    return {
      ...commonFields(row),
      isVerified,
      provisioningUrl: await urlOf(call, row),
      recoveryCodes: [...(await allRecoveryCodes(call.core, row))],
    };
  },
  getQrCode: async (call) => {
    const row = await requireOwn(call);
    if (!maySeeSecrets(call, row)) throw notEnrolled();
    return { contentType: 'image/png', body: await encodeQrCode(await urlOf(call, row)) };
  },
  verify: async (call, { body }) => {
    await withCode(call, 'verify', body.code, async (entities, row) => {
      await entities.update(mfa, row, { isVerified: true });
      await passMfa(entities, apiSessionOf(call.actor).session.id, call.now());
    });
    return {};
  },
  delete: async (call, { code, body }) => {
    await withCode(call, 'end', body?.code ?? code, endMfa);
    return {};
  },
  getRecoveryCodes: async (call, { code, body }) => {
    const row = await withCode(call, 'view', body?.code ?? code, async (_entities, row) => row);
    return { ...commonFields(row), recoveryCodes: [...(await unusedRecoveryCodes(call.core, row))] };
  },
  replaceRecoveryCodes: async (call, { body }) => {
    const { core } = call;
    await withCode(call, 'replace', body.code, async (entities, row) =>
      entities.update(mfa, row, await newSealedRecoveryCodes(core, row.identityId)),
    );
    return {};
  },
});
