import { encode } from 'jose/base64url';
import { challengeSecondary } from '../../call/authentication/external-challenges.ts';
import type { Call } from '../../call/call.ts';
import type { ProviderClient } from '../../call/provider.ts';
import type { LoginStep } from '../../contract/api/oidc-login.ts';
import type { HttpOutput } from '../../contract/api/surfaces/http-output.ts';
import { ApiError, unauthorized } from '../../contract/errors/index.ts';
import { CHALLENGE } from '../../contract/wire/challenge.ts';
import { canonicalHost, isLocalHost } from '../../crypto/pki/server-names.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { invalidAuth, type LoginBody, storeClientInfo } from '../login/login.ts';
import { loginMethods } from '../login/methods.ts';
import { observedLogin } from '../login/observed.ts';
import { nextStep, wantsPage } from './answers.ts';
import { bindBrowser, browserOf } from './browser.ts';
import { passExternalToken, pendingFactors } from './factors.ts';
import { DEFAULT_PAGES } from './pages/defaults.ts';
import { pagesFor } from './pages/language.ts';
import { certificatePage, messagePage, type PageLogin, passwordPage, tokenPage } from './pages/pages.ts';
import { openLoginSession, type PrimaryMethod } from './primary.ts';
import { isOwnOrigin, providerOf, reachedIssuer } from './provider.ts';
import { isOriginOf } from './redirect-uris.ts';
import { authRequestOf, loginOf, storedRequest, storeProgress } from './requests.ts';

/** Input of a step, with the id of the login in the body or in the query. */
export interface StepInput {
  readonly body?: LoginStep;
  readonly authRequestID?: string | undefined;
  readonly id?: string | undefined;
}

/** An admitted step: its input and its login. */
export interface Step {
  readonly issuer: string;
  readonly body: LoginStep;
  readonly login: PageLogin;
}

export const idOfStep = ({ body, authRequestID, id }: StepInput): string => (body?.id ?? authRequestID ?? id ?? '').trim();

const pages = { password: passwordPage, cert: certificatePage, 'ext-jwt': tokenPage } as const;

/** The page of a step. For an unknown login, it looks the same, but its content security policy does not allow redirects to a client. */
export const stepPage =
  (method: PrimaryMethod) =>
  async (call: Call, input: Omit<StepInput, 'body'>): Promise<HttpOutput> => {
    const issuer = await reachedIssuer(call);
    const id = idOfStep(input);
    // Sets the cookie before the first step, so that a form that is submitted twice comes from the same browser.
    if (wantsPage(call)) bindBrowser(call);
    const row = await call.read((entities) => authRequestOf(entities, call, id));
    return pages[method](pagesFor(call), { issuer, id, redirectUri: row?.request.redirectUri });
  };

/**
 * Runs a step if its sender is allowed, and responds in the format in which the login began: JSON, or HTML pages, which only the same
 * browser can continue. The primary step determines the format, unless the login is already bound to a browser.
 * @throws ApiError `UNSUPPORTED_MEDIA_TYPE` if the step has no body, `UNAUTHORIZED` if the sender is not allowed
 */
export const step =
  (work: (call: Call, step: Step) => Promise<HttpOutput>, { isPrimary = false, senders = 'clients' }: StepRules = {}) =>
  async (call: Call, input: StepInput): Promise<HttpOutput> => {
    const issuer = await reachedIssuer(call);
    const body = requireBody(input);
    const id = idOfStep(input);
    const row = await call.read((entities) => storedRequest(entities, call, id));
    const { browser, amr = [] } = row?.progress ?? {};
    const isOnPages = browser != null;
    // A login on pages accepts only the controller's own pages, because browsers also send the cookie for other pages of the same site,
    // such as the client's.
    await requireSender(call, row && providerOf(call).clients.get(row.request.clientId), isOnPages ? 'own' : senders);
    if (isOnPages ? browser !== browserOf(call) || !wantsPage(call) : wantsPage(call) && !isPrimary && amr.length > 0)
      return refuseOtherBrowser(call);
    return work(call, { issuer, body, login: { issuer, id, redirectUri: row?.request.redirectUri } });
  };

interface StepRules {
  readonly isPrimary?: boolean;
  /** Default: `clients`. */
  readonly senders?: Senders;
}

const OTHER_BROWSER = DEFAULT_PAGES.texts.otherBrowser;

/**
 * The refusal of a step from another browser or program.
 * @throws ApiError `UNAUTHORIZED` if the client does not want a page
 */
const refuseOtherBrowser = (call: Call): HttpOutput => {
  if (!wantsPage(call)) throw unauthorized(OTHER_BROWSER);
  const ownPages = pagesFor(call);
  return messagePage(ownPages, ownPages.texts.failed, ownPages.texts.otherBrowser, 401);
};

const requireBody = ({ body }: StepInput): LoginStep => {
  if (body) return body;
  const reason = 'the step requires a form or JSON, got no body';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { cause: { field: 'Content-Type', reason, value: '' } });
};

/** The primary step of a login. Every failure looks the same, and allows another attempt. */
export const primaryStep = (method: PrimaryMethod) =>
  step(
    async (call, { issuer, body: fields, login }) => {
      try {
        if (login.redirectUri === undefined) throw invalidAuth();
        // If another primary step has already succeeded, the token may be the missing second factor.
        if (!(method === 'ext-jwt' && (await passExternalToken(call, login.id)))) {
          const body = bodyOf(fields);
          if (method === 'password' && !(body.username && body.password)) throw invalidAuth();
          const browser = wantsPage(call) ? bindBrowser(call) : null;
          await observedLogin(call, method, () =>
            loginMethods[method](call, body, openLoginSession(login.id, method, browser, fields.csrPem)),
          );
          await passExternalToken(call, login.id);
        }
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'INVALID_AUTH' && wantsPage(call))) throw error;
        return pages[method](pagesFor(call), { ...login, isRefused: true, username: fields.username });
      }
      return proceed(call, issuer, login);
    },
    { isPrimary: true, senders: method === 'cert' ? 'own' : 'clients' },
  );

/**
 * Continues after a successful step. Once the login is complete, updates the identity with the environment and SDK that the client has
 * reported.
 */
export const proceed = async (call: Call, issuer: string, login: PageLogin): Promise<HttpOutput> => {
  const key = wantsPage(call) ? encode(call.core.platform.random.bytes(32)) : undefined;
  const queries = await call.write(async (entities) => {
    const current = await loginOf(entities, call, await authRequestOf(entities, call, login.id));
    if (!current) throw invalidAuth();
    const pending = await pendingFactors(entities, current);
    const { envInfo, sdkInfo } = current.session.bearer ?? {};
    if (pending.length === 0)
      await storeClientInfo(entities, current.owner, { ...reported('envInfo', envInfo), ...reported('sdkInfo', sdkInfo) });
    if (pending.length === 0 && key !== undefined) await storeProgress(entities, current.row, { pageKey: hashToken(key) });
    return pending;
  });
  const token = queries.find(({ typeId }) => typeId === 'EXT-JWT')?.id;
  if (token === undefined) call.answerHeaders.delete(CHALLENGE);
  else if (!call.answerHeaders.has(CHALLENGE)) await challengeSecondary(call, token, []);
  return nextStep(call, issuer, login, queries, key);
};

/** Omits an empty value, which is treated as not reported. */
const reported = <K extends 'envInfo' | 'sdkInfo'>(name: K, value: object | undefined): { readonly [N in K]?: object } =>
  (value && Object.keys(value).length > 0 ? { [name]: value } : {}) as { readonly [N in K]?: object };

/** Converts the fields of a step to the body of a login. In forms, the parts of `envInfo` and `sdkInfo` are separate fields. */
const bodyOf = (step: LoginStep): LoginBody => ({
  ...ifDefined('username', step.username),
  ...ifDefined('password', step.password),
  ...ifDefined('configTypes', step.configTypes === undefined ? undefined : [step.configTypes].flat()),
  ...ifDefined('envInfo', step.envInfo ?? partsIn(step, ENV)),
  ...ifDefined('sdkInfo', step.sdkInfo ?? partsIn({ ...step, sdkAppId: step.sdkAppId ?? step.sdkAppID }, SDK)),
});

const ifDefined = <K extends keyof LoginBody>(name: K, value: LoginBody[K] | undefined): Pick<LoginBody, K> | Record<string, never> =>
  value === undefined ? {} : ({ [name]: value } as Pick<LoginBody, K>);

const ENV = {
  envArch: 'arch',
  envDomain: 'domain',
  envHostname: 'hostname',
  envOs: 'os',
  envOsRelease: 'osRelease',
  envOsVersion: 'osVersion',
};
const SDK = {
  sdkAppId: 'appId',
  sdkAppVersion: 'appVersion',
  sdkBranch: 'branch',
  sdkRevision: 'revision',
  sdkType: 'type',
  sdkVersion: 'version',
};

const partsIn = (step: LoginStep, names: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined => {
  const fields: Readonly<Record<string, unknown>> = step;
  const found = Object.entries(names).flatMap(([field, name]) => {
    const value = fields[field];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};

/** The pages that may send a step: only pages of the controller, or also pages of the client and of programs on the same machine. */
type Senders = 'own' | 'clients';

/**
 * Rejects a step that was sent by a page of another site. Browsers send `Origin` with every POST and DELETE (Fetch Standard, 3.2); SDKs and
 * command-line tools send neither `Origin` nor `Sec-Fetch-Site`. Browsers present a client certificate on behalf of any page, so only the
 * controller's own pages may send the certificate step.
 * @param client the client of the login; undefined for an unknown login
 * @throws ApiError `UNAUTHORIZED` for a page of another site
 */
const requireSender = async (call: Call, client: ProviderClient | undefined, senders: Senders): Promise<void> => {
  const { origin, fetchSite } = call.browser ?? {};
  if (origin === undefined && fetchSite !== 'cross-site') return;
  if (origin !== undefined && (await isSender(call, origin, client, senders))) return;
  throw unauthorized(`a page of ${origin === undefined ? 'another site' : `the origin ${origin.slice(0, 256)}`} may not send this step`);
};

const isSender = async (call: Call, origin: string, client: ProviderClient | undefined, senders: Senders): Promise<boolean> => {
  const url = URL.parse(origin);
  if (!url) return false;
  if (await isOwnOrigin(call, url)) return true;
  if (senders === 'own') return false;
  return isThisMachine(url) || isOriginOf(client?.redirectUris ?? [], url);
};

const isThisMachine = ({ protocol, hostname }: URL): boolean => /^https?:$/.test(protocol) && isLocalHost(canonicalHost(hostname) ?? '');
