/** The options of the OpenID provider. */
import type { PageText, Provider, ProviderClient, ProviderPages } from '../../call/provider.ts';
import { checkedOptions } from '../../contract/options.ts';
import type { Rotation } from '../../crypto/tokens/signing-keys.ts';
import { DEFAULT_PAGES, isColor } from '../../identity/oidc/pages/defaults.ts';
import { GERMAN } from '../../identity/oidc/pages/german.ts';
import { DEFAULT_POST_LOGOUT_URIS, DEFAULT_REDIRECT_URIS, isRedirectPattern } from '../../identity/oidc/redirect-uris.ts';
import { DAY } from '../../runtime/platform/clock.ts';

/** An application of the host that logs people in through the provider: a public client, which uses PKCE. */
export interface OidcClientOptions {
  /** 1 to 64 letters, digits, `.`, `_` and `-`; not `openziti` or `native`. */
  readonly id: string;
  /** Redirect URIs for its codes, at least one: scheme, host and path are compared exactly; `*` as the port matches any port. */
  readonly redirectUris: readonly string[];
  /** Redirect URIs after a logout. Default: none. */
  readonly postLogoutRedirectUris?: readonly string[];
}

/** The OpenID provider. Each option has a default. */
export interface OidcOptions {
  /**
   * Redirect URIs for codes of the clients `openziti` and `native`. Default: `openziti://auth/callback`, and `/auth/callback` on any port
   * of `127.0.0.1` and `localhost`. A list replaces these.
   */
  readonly redirectUris?: readonly string[];
  /** Redirect URIs after a logout from these clients. Default: the same with `/auth/logout`. */
  readonly postLogoutRedirectUris?: readonly string[];
  /** The host's applications. Their access tokens are not valid as sessions on the management and client APIs. Default: none. */
  readonly clients?: readonly OidcClientOptions[];
  /**
   * The path of the console (`overlay-controller/console`) at the controller's own address, such as `/console/`. It registers the client
   * `overlay-console`, whose codes are sent to this path only, and whose access tokens are sessions. Default: none.
   */
  readonly consolePath?: string;
  /**
   * A path at the controller's own address, such as `/auth/callback`, to which codes of the clients `openziti` and `native` go in addition
   * to `redirectUris`: for an admin console of OpenZiti beside the APIs. Default: none.
   */
  readonly callbackPath?: string;
  /**
   * Hosts at which clients reach this controller, in addition to that of `settings.address` and those in the server's certificate: `name`
   * or `name:port`. Requests for any other host get 404.
   */
  readonly hosts?: readonly string[];
  /** Lifetime of access tokens. Default 30, at least 1. */
  readonly accessTokenMinutes?: number;
  /** Lifetime of ID tokens. Default 30, at least 1. */
  readonly idTokenMinutes?: number;
  /** Lifetime of refresh tokens. Default 1440 (a day), at least a minute longer than that of access tokens. */
  readonly refreshTokenMinutes?: number;
  /** The time after the login during which a session can be extended with refresh tokens. Default: no limit. */
  readonly maxSessionMinutes?: number;
  /**
   * Maximum number of logins started per minute from one client address, or from one IPv6 /64 network; beyond it, requests get 429. Default
   * 1,000, at least 1. Everyone behind one NAT, or behind a proxy that is not trusted, shares this limit.
   */
  readonly loginsPerMinute?: number;
  /** Number of days after which the signing key is rotated. Default 30, at least 1. */
  readonly keyRotationDays?: number;
  /**
   * Binds the tokens of a login by certificate to that certificate. Default true; set it to false behind a proxy that terminates TLS and
   * does not forward certificates.
   */
  readonly certificateBinding?: boolean;
  /** The appearance and the texts of the login pages. */
  readonly pages?: {
    /** The name shown on the pages. Default `Overlay network`. */
    readonly name?: string;
    /** As `#rgb` or `#rrggbb`. Choose colors with sufficient contrast. */
    readonly colors?: Partial<ProviderPages['colors']>;
    /** Texts by name, in `language`; those in German are below its tag: `{ signIn: 'Log in', de: { signIn: 'Einloggen' } }`. */
    readonly texts?: Partial<Record<PageText, string>> & { readonly de?: Partial<Record<PageText, string>> };
    /**
     * Language of the texts, BCP 47: then people see the pages in no other. Default: the first of English and German for which the browser
     * asks, or English.
     */
    readonly language?: string;
    /**
     * Origins whose pages may frame the login pages, such as `https://portal.example.com`, for a console in a frame. They must be of the
     * same site as the controller: browsers send the cookie of a login to no other frames. Default: none.
     */
    readonly frameAncestors?: readonly string[];
  };
}

/** The provider before its keys are loaded. */
export interface ProviderSetup extends Omit<Provider, 'keys' | 'beginnings' | 'loginStarts'> {
  readonly rotation: Rotation;
  readonly loginsPerMinute: number;
}

const NAMES = {
  redirectUris: true,
  postLogoutRedirectUris: true,
  clients: true,
  consolePath: true,
  callbackPath: true,
  hosts: true,
  accessTokenMinutes: true,
  idTokenMinutes: true,
  refreshTokenMinutes: true,
  maxSessionMinutes: true,
  keyRotationDays: true,
  loginsPerMinute: true,
  certificateBinding: true,
  pages: true,
} as const;

/** The client id of the console. */
const CONSOLE_CLIENT = 'overlay-console';

const WHERE = "the option 'oidc' of ManagementController.open";

/**
 * @returns undefined if the provider is disabled.
 * @throws TypeError with the option, its value and the expected value
 */
export const providerSetup = (input: boolean | OidcOptions | undefined): ProviderSetup | undefined => {
  if (input === undefined || input === false) return undefined;
  const options = checkedOptions(WHERE, input === true ? {} : input, NAMES);
  const {
    accessTokenMinutes = 30,
    idTokenMinutes = 30,
    refreshTokenMinutes = 1440,
    maxSessionMinutes,
    keyRotationDays = 30,
    loginsPerMinute = 1000,
  } = options;
  const access = secondsOf('accessTokenMinutes', accessTokenMinutes, 1);
  const id = secondsOf('idTokenMinutes', idTokenMinutes, 1);
  const refresh = secondsOf('refreshTokenMinutes', refreshTokenMinutes, accessTokenMinutes + 1);
  const days = secondsOf('keyRotationDays', keyRotationDays, 1) / 60;
  return {
    clients: clientsOf(options),
    hosts: (options.hosts ?? []).map(hostOf),
    lifetimes: { access, id, refresh },
    longest: maxSessionMinutes === undefined ? undefined : secondsOf('maxSessionMinutes', maxSessionMinutes, 1),
    bindsCertificates: options.certificateBinding ?? true,
    pages: pagesOf(options.pages ?? {}),
    translations: translationsOf(options.pages ?? {}),
    loginsPerMinute: atLeast('loginsPerMinute', loginsPerMinute, 1),
    rotation: { every: days * DAY, keptFor: Math.max(access, id, refresh) * 1000 },
  };
};

const secondsOf = (name: string, minutes: number, min: number): number => Math.round(atLeast(name, minutes, min) * 60);

const atLeast = (name: string, value: number, min: number): number => {
  if (typeof value === 'number' && value >= min && Number.isFinite(value)) return value;
  throw new TypeError(`${WHERE} takes as ${name} ${min} or more, got ${value}`);
};

const clientsOf = ({
  redirectUris = DEFAULT_REDIRECT_URIS,
  postLogoutRedirectUris = DEFAULT_POST_LOGOUT_URIS,
  clients = [],
  consolePath,
  callbackPath,
}: OidcOptions): ReadonlyMap<string, ProviderClient> => {
  const all = new Map<string, ProviderClient>();
  const ownCallback = callbackPath === undefined ? [] : [ownCallbackOf(callbackPath)];
  for (const id of ['openziti', 'native'])
    all.set(id, {
      id,
      redirectUris: [...addresses(redirectUris), ...ownCallback],
      postLogoutRedirectUris: addresses(postLogoutRedirectUris),
      isOfNetwork: true,
    });
  if (consolePath !== undefined) {
    const ownPath = [ownPathOf(consolePath)];
    all.set(CONSOLE_CLIENT, { id: CONSOLE_CLIENT, redirectUris: ownPath, postLogoutRedirectUris: ownPath, isOfNetwork: true });
  }
  for (const client of clients) {
    checkedOptions(`a client of ${WHERE}`, client, { id: true, redirectUris: true, postLogoutRedirectUris: true });
    if (!/^[\w.-]{1,64}$/.test(client.id) || all.has(client.id))
      throw new TypeError(`${WHERE} needs clients whose ids are 1 to 64 letters, digits, '.', '_' or '-', each once, got '${client.id}'`);
    if (!(client.redirectUris?.length > 0)) throw new TypeError(`${WHERE} needs redirectUris for the client ${client.id}`);
    const { id } = client;
    const after = addresses(client.postLogoutRedirectUris ?? []);
    all.set(id, { id, redirectUris: addresses(client.redirectUris), postLogoutRedirectUris: after, isOfNetwork: false });
  }
  return all;
};

/** @throws TypeError for anything but a path with a slash at both ends */
const ownPathOf = (path: string): string => {
  if (typeof path === 'string' && /^\/([\w~-][\w.~-]*\/)+$/.test(path) && path.length <= 256) return path;
  throw new TypeError(`${WHERE} takes as consolePath a path with a slash at both ends, such as /console/, got '${path}'`);
};

/** @throws TypeError for anything but a path without a slash at its end */
const ownCallbackOf = (path: string): string => {
  if (typeof path === 'string' && /^(\/[\w~-][\w.~-]*)+$/.test(path) && path.length <= 256) return path;
  throw new TypeError(`${WHERE} takes as callbackPath a path without a slash at its end, such as /auth/callback, got '${path}'`);
};

const addresses = (input: readonly string[]): readonly string[] => {
  const wrong = input.find((address) => typeof address !== 'string' || !isRedirectPattern(address));
  if (wrong === undefined) return [...input];
  throw new TypeError(
    `${WHERE} takes addresses like https://app.example.org/callback or http://127.0.0.1:*/callback, without query and fragment, got '${wrong}'`,
  );
};

/** True for scheme, host and port alone: anything else could add a directive to the policy of a page. */
const isOrigin = (address: string): boolean =>
  typeof address === 'string' && /^https?:/.test(address) && isRedirectPattern(address) && URL.parse(address)?.origin === address;

const hostOf = (host: string): string => {
  if (/^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)) return host.toLowerCase();
  throw new TypeError(`${WHERE} takes as hosts names like overlay.example.org:1280, got '${host}'`);
};

const keysOf = <T extends object>(defaults: T) =>
  Object.fromEntries(Object.keys(defaults).map((key) => [key, true])) as Record<keyof T, true>; // from its keys

/** A host that names a language has its texts in that one only. */
const translationsOf = ({ language, texts: { de = {} } = {} }: NonNullable<OidcOptions['pages']>): Provider['translations'] =>
  language === undefined ? [{ language: 'de', texts: { ...GERMAN, ...de } }] : [];

const pagesOf = (input: NonNullable<OidcOptions['pages']>): ProviderPages => {
  checkedOptions(`pages in ${WHERE}`, input, { name: true, colors: true, texts: true, language: true, frameAncestors: true });
  const {
    colors = {},
    texts: { de = {}, ...texts } = {},
    name = DEFAULT_PAGES.name,
    language = DEFAULT_PAGES.language,
    frameAncestors = [],
  } = input;
  checkedOptions(`colors of pages in ${WHERE}`, colors, keysOf(DEFAULT_PAGES.colors));
  checkedOptions(`texts of pages in ${WHERE}`, texts, keysOf(DEFAULT_PAGES.texts));
  checkedOptions(`German texts of pages in ${WHERE}`, de, keysOf(DEFAULT_PAGES.texts));
  const wrong = Object.entries(colors).find(([, color]) => !isColor(color));
  if (wrong) throw new TypeError(`${WHERE} takes colors like #0b57d0, got '${wrong[1]}' for ${wrong[0]}`);
  const wrongOrigin = frameAncestors.find((origin) => !isOrigin(origin));
  if (wrongOrigin !== undefined)
    throw new TypeError(`${WHERE} takes as frameAncestors of pages origins like https://portal.example.com, got '${wrongOrigin}'`);
  return {
    name,
    language,
    frameAncestors: [...frameAncestors],
    colors: { ...DEFAULT_PAGES.colors, ...colors },
    texts: { ...(/^de\b/i.test(language) ? GERMAN : DEFAULT_PAGES.texts), ...texts },
  };
};
