import { endApiSessions } from '../../call/authentication/api-sessions.ts';
import { mfaOf } from '../../call/authentication/factors.ts';
import type { Call } from '../../call/call.ts';
import { authRequest, mfa } from '../../contract/api/kinds.ts';
import type { LoginStep, TotpEnrollment } from '../../contract/api/oidc-login.ts';
import { ApiError, type ErrorCode, unauthorized } from '../../contract/errors/index.ts';
import { encodeQrCode } from '../../crypto/qr/qr-code.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { observedCode } from '../login/observed.ts';
import { withCode } from '../mfa/codes.ts';
import { allRecoveryCodes, endMfa, newMfa, type StoredMfa, totpSecretOf } from '../mfa/record.ts';
import { provisioningUrl } from '../mfa/totp.ts';
import { json, wantsPage } from './answers.ts';
import { LOGIN_LIFETIME } from './browser.ts';
import { isTotp, passFactor, pendingFactors } from './factors.ts';
import { pagesFor } from './pages/language.ts';
import { codePage, confirmPage, messagePage, scanPage } from './pages/pages.ts';
import { authRequestOf, type Login, loginOf, storeProgress } from './requests.ts';
import { proceed, step } from './steps.ts';

/** Maximum length of a code. */
const MAX_CODE_LENGTH = 13;
/** Number of wrong codes after which a login ends. */
const MAX_WRONG_CODES = 10;

const currentLogin = async (entities: Entities, call: Call, id: string): Promise<Login | undefined> =>
  loginOf(entities, call, await authRequestOf(entities, call, id));

/**
 * A login whose primary step has succeeded.
 * @throws ApiError `UNAUTHORIZED` if there is no such login
 */
const requireLogin = async (entities: Entities, call: Call, id: string): Promise<Login> => {
  const login = await currentLogin(entities, call, id);
  if (!login) throw unauthorized('there is no such login in progress, or its first step has not succeeded');
  return login;
};

/** The step that submits a code of the second factor. Every failure looks the same; after ten of them, the login ends. */
export const totpStep = step(async (call, { issuer, body, login: page }) => {
  const login = await call.read((entities) => currentLogin(entities, call, page.id));
  try {
    if (!login) throw new ApiError('INVALID_TOTP_CODE');
    await observedCode(call, () => submitCode(call, 'login', codeIn(body), page.id, login));
  } catch (error) {
    if (!isOneOf(error, ['INVALID_TOTP_CODE', 'MFA_INVALID_TOKEN', 'MFA_NOT_ENROLLED'])) throw error;
    if (login) await countWrongCode(call, page.id);
    if (!wantsPage(call)) throw new ApiError('INVALID_TOTP_CODE');
    return codePage(pagesFor(call), { ...page, isRefused: true });
  }
  return proceed(call, issuer, page);
});

const codeIn = ({ code = '' }: LoginStep): string => code.trim();

const isOneOf = (error: unknown, codes: readonly ErrorCode[]): boolean => error instanceof ApiError && codes.includes(error.code);

const submitCode = (call: Call, purpose: 'login' | 'verify', code: string, id: string, { owner }: Login): Promise<void> =>
  withCode(
    call,
    purpose,
    code.length > MAX_CODE_LENGTH ? '' : code,
    async (entities, row, spent) => {
      const login = await currentLogin(entities, call, id);
      // Another identity may have logged in since the check.
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
    if (wrongCodes < MAX_WRONG_CODES) return void (await storeProgress(entities, row, { wrongCodes }));
    // Removed explicitly, because ending the session removes only a login that refers to it.
    await entities.remove(authRequest, row);
    await endApiSessions(entities, [session]);
  });

/**
 * Sets up TOTP during a login that requires it. On a page, this replaces an enrollment that the same browser has begun, because a form
 * cannot send a DELETE.
 * @throws ApiError `MFA_EXISTS`; `UNAUTHORIZED` if the login does not require TOTP
 */
export const enrollStep = step(async (call, { login: page }) => {
  const { owner } = await call.read((entities) => requireLogin(entities, call, page.id));
  const enrollment = await newMfa(call.core, owner.id);
  const outcome = await call.write(async (entities) => {
    const login = await requireLogin(entities, call, page.id);
    const existing = await mfaOf(entities, owner.id);
    if (existing && (existing.isVerified || !wantsPage(call))) throw new ApiError('MFA_EXISTS');
    if (login.owner.id !== owner.id || !(await pendingFactors(entities, login)).some(isTotp))
      throw unauthorized('TOTP can be set up only while the login requires it');
    if (existing && !isReplaceable(existing, login, call)) return undefined;
    if (existing) await entities.remove(mfa, existing);
    return entities.insert(mfa, { ...enrollment, begunIn: originOf(login) });
  });
  const pages = pagesFor(call);
  if (!outcome) return messagePage(pages, pages.texts.enrollTitle, pages.texts.enrollElsewhere, 409);
  const secret = await totpSecretOf(call.core, outcome);
  const url = provisioningUrl(call.core.settings.mfaIssuer, owner.name, secret);
  const recoveryCodes = [...(await allRecoveryCodes(call.core, outcome))];
  if (wantsPage(call)) return scanPage(pages, page, { picture: await encodeQrCode(url), address: url, secret, recoveryCodes });
  const { id, createdAt, updatedAt } = outcome;
  return json({ id, createdAt, updatedAt, isVerified: false, provisioningUrl: url, recoveryCodes } satisfies TotpEnrollment, {
    status: 201,
  });
});

/** The origin of an enrollment: the browser, which may have several logins, or the login of a program. */
const originOf = ({ row: { id, progress } }: Login): string => (progress.browser == null ? `login:${id}` : `browser:${progress.browser}`);

/**
 * True if a login may replace an unconfirmed enrollment: its origin may, and any other once the time limit of a login has passed, because
 * the enrollment is then abandoned.
 */
const isReplaceable = ({ begunIn, createdAt }: StoredMfa, login: Login, call: Call): boolean =>
  begunIn === originOf(login) || Date.parse(createdAt) + LOGIN_LIFETIME <= Date.parse(call.now());

/** Confirms TOTP with a first code, which counts as the second factor of this login. */
export const verifyStep = step(async (call, { issuer, body, login: page }) => {
  const login = await call.read((entities) => requireLogin(entities, call, page.id));
  try {
    await observedCode(call, () => submitCode(call, 'verify', codeIn(body), page.id, login));
  } catch (error) {
    if (!(isOneOf(error, ['MFA_INVALID_TOKEN']) && wantsPage(call))) throw error;
    return confirmPage(pagesFor(call), { ...page, isRefused: true });
  }
  return proceed(call, issuer, page);
});

/** Removes TOTP. A confirmed enrollment requires a code; an unconfirmed one can be removed by its origin, or once it is abandoned. */
export const removeStep = step(async (call, { body, login: { id } }) => {
  const { owner } = await call.read((entities) => requireLogin(entities, call, id));
  const end = async (entities: Entities, row: StoredMfa): Promise<void> => {
    const login = await requireLogin(entities, call, id);
    if (login.owner.id !== row.identityId || !(row.isVerified || isReplaceable(row, login, call)))
      throw unauthorized('TOTP is being set up in another login');
    return endMfa(entities, row);
  };
  await withCode(call, 'end', body.code?.trim(), end, owner.id);
  return json({});
});
