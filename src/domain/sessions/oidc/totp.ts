import { authRequest } from '../../../api/auth-requests.ts';
import { mfa } from '../../../api/mfa.ts';
import type { TotpEnrollment } from '../../../api/oidc-login.ts';
import type { HttpOutput } from '../../../api/surfaces/http-output.ts';
import { endApiSessions } from '../../../authentication/api-sessions.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../changes/entities.ts';
import { ApiError, type ErrorCode, unauthorized } from '../../../errors/index.ts';
import { qrCode } from '../../../qr/qr-code.ts';
import { withCode } from '../../directory/mfa/codes.ts';
import { provisioningUrl } from '../../directory/mfa/provisioning.ts';
import { allRecoveryCodes, endMfa, mfaOf, newMfa, totpSecretOf } from '../../directory/mfa/record.ts';
import { observedCode } from '../login/observed.ts';
import { json, wantsPage } from './answers.ts';
import { passFactor } from './factors.ts';
import { codePage, confirmPage, scanPage } from './pages/pages.ts';
import { providerOf, reachedIssuer } from './provider.ts';
import { authRequestOf, type Login, loginOf, noteProgress } from './requests.ts';
import { idOfStep, pageLogin, proceed, requireBody, type StepInput } from './steps.ts';

/** Longer codes are none. */
const LONGEST_CODE = 13;
/** Wrong codes after which a login is over. */
const MOST_WRONG = 10;

const currentLogin = async (entities: Entities, call: Call, id: string): Promise<Login | undefined> =>
  loginOf(entities, call, await authRequestOf(entities, call, id));

/** Of a login whose primary step has succeeded. @throws ApiError `UNAUTHORIZED` */
const requireLogin = async (entities: Entities, call: Call, id: string): Promise<Login> => {
  const login = await currentLogin(entities, call, id);
  if (!login) throw unauthorized('there is no such login under way, or its first step has not succeeded');
  return login;
};

/** The code of the second factor. Every failure looks the same; ten of them end the login. */
export const totpStep = async (call: Call, input: StepInput): Promise<HttpOutput> => {
  const issuer = await reachedIssuer(call);
  const code = requireBody(input).code?.trim() ?? '';
  const page = await pageLogin(call, idOfStep(input));
  const login = await call.read((entities) => currentLogin(entities, call, page.id));
  try {
    if (!login) throw new ApiError('INVALID_TOTP_CODE');
    await observedCode(call, () => giveCode(call, 'login', code, page.id, login));
  } catch (error) {
    if (!isOneOf(error, ['INVALID_TOTP_CODE', 'MFA_INVALID_TOKEN', 'MFA_NOT_ENROLLED'])) throw error;
    if (login) await countWrongCode(call, page.id);
    if (!wantsPage(call)) throw new ApiError('INVALID_TOTP_CODE');
    return codePage(providerOf(call).pages, { ...page, isRefused: true });
  }
  return proceed(call, issuer, page);
};

const isOneOf = (error: unknown, codes: readonly ErrorCode[]): boolean => error instanceof ApiError && codes.includes(error.code);

const giveCode = (call: Call, purpose: 'login' | 'verify', code: string, id: string, { owner }: Login): Promise<void> =>
  withCode(
    call,
    purpose,
    code.length > LONGEST_CODE ? '' : code,
    async (entities, row, spent) => {
      const login = await currentLogin(entities, call, id);
      // Another identity may have logged in meanwhile.
      if (login?.owner.id !== owner.id) throw new ApiError('INVALID_TOTP_CODE');
      await entities.update(mfa, row, purpose === 'verify' ? { isVerified: true } : spent);
      await passFactor(entities, login, 'totp', call);
    },
    owner.id,
  );

const countWrongCode = (call: Call, id: string): Promise<void> =>
  call.write(async (entities) => {
    const login = await currentLogin(entities, call, id);
    if (!login) return;
    const { row, session } = login;
    const wrongCodes = row.progress.wrongCodes + 1;
    if (wrongCodes < MOST_WRONG) return void (await noteProgress(entities, row, { wrongCodes }));
    // The login ends with its session, and this one either way.
    await entities.remove(authRequest, row);
    await endApiSessions(entities, [session]);
  });

/** Sets TOTP up during a login. On a page an enrollment that was begun elsewhere, and not confirmed, makes room: a form cannot delete it. */
export const enrollStep = async (call: Call, input: StepInput): Promise<HttpOutput> => {
  await reachedIssuer(call);
  requireBody(input);
  const page = await pageLogin(call, idOfStep(input));
  const { owner } = await call.read((entities) => requireLogin(entities, call, page.id));
  const begun = await newMfa(call.core, owner.id);
  const row = await call.write(async (entities) => {
    await requireLogin(entities, call, page.id);
    const known = await mfaOf(entities, owner.id);
    if (known && (known.isVerified || !wantsPage(call))) throw new ApiError('MFA_EXISTS');
    if (known) await entities.remove(mfa, known);
    return entities.insert(mfa, begun);
  });
  const secret = await totpSecretOf(call.core, row);
  const url = provisioningUrl(call.core.settings.mfaIssuer, owner.name, secret);
  const recoveryCodes = [...(await allRecoveryCodes(call.core, row))];
  if (wantsPage(call)) return scanPage(providerOf(call).pages, page, { picture: await qrCode(url), address: url, secret, recoveryCodes });
  const { id, createdAt, updatedAt } = row;
  return json({ id, createdAt, updatedAt, isVerified: false, provisioningUrl: url, recoveryCodes } satisfies TotpEnrollment, {
    status: 201,
  });
};

/** Confirms it with a first code, which counts as the second factor of this login. */
export const verifyStep = async (call: Call, input: StepInput): Promise<HttpOutput> => {
  const issuer = await reachedIssuer(call);
  const code = requireBody(input).code?.trim() ?? '';
  const page = await pageLogin(call, idOfStep(input));
  const login = await call.read((entities) => requireLogin(entities, call, page.id));
  try {
    await observedCode(call, () => giveCode(call, 'verify', code, page.id, login));
  } catch (error) {
    if (!(isOneOf(error, ['MFA_INVALID_TOKEN']) && wantsPage(call))) throw error;
    return confirmPage(providerOf(call).pages, { ...page, isRefused: true });
  }
  return proceed(call, issuer, page);
};

/** Gives TOTP up: a confirmed one for a code. */
export const giveUpStep = async (call: Call, input: StepInput): Promise<HttpOutput> => {
  await reachedIssuer(call);
  const { code } = requireBody(input);
  const { owner } = await call.read((entities) => requireLogin(entities, call, idOfStep(input)));
  await withCode(call, 'end', code?.trim(), endMfa, owner.id);
  return json({});
};
