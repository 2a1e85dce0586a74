/** The options of the OpenID provider. */
import type { PageText, Provider, ProviderClient, ProviderPages } from '../call/provider.ts';
import { DEFAULT_PAGES, isColor } from '../domain/sessions/oidc/pages/defaults.ts';
import { DEFAULT_POST_LOGOUT_URIS, DEFAULT_REDIRECT_URIS, isRedirectPattern } from '../domain/sessions/oidc/redirect-uris.ts';
import { checkedOptions } from '../options.ts';
import { DAY } from '../platform/clock.ts';
import type { Rotation } from '../tokens/signing-keys.ts';

/** An application of the host's that logs people in by the provider: a public client, which proves itself by PKCE. */
export interface OidcClientOptions {
  /** 1 to 64 letters, digits, `.`, `_` and `-`; not `openziti` or `native`. */
  readonly id: string;
  /** Where its codes may go: scheme, host and path are compared exactly; `*` for the port stands for any. At least one. */
  readonly redirectUris: readonly string[];
  /** Where people may go after a logout. Default: none. */
  readonly postLogoutRedirectUris?: readonly string[];
}

/** The OpenID provider. Each option has a default. */
export interface OidcOptions {
  /**
   * Where codes of the clients `openziti` and `native` may go. Default: `openziti://auth/callback`, and `/auth/callback` on any port of `127.0.0.1` and
   * `localhost`. A list replaces these.
   */
  readonly redirectUris?: readonly string[];
  /** Where people may go after a logout by these clients. Default: the same with `/auth/logout`. */
  readonly postLogoutRedirectUris?: readonly string[];
  /** The host's own applications. Their access tokens are no sessions on the management and client APIs. Default: none. */
  readonly clients?: readonly OidcClientOptions[];
  /**
   * Hosts by which clients reach this controller, beside that of `settings.address` and those in the server's certificate: `name` or `name:port`.
   * Requests for any other are not found.
   */
  readonly hosts?: readonly string[];
  /** Life of access tokens. Default 30, at least 1. */
  readonly accessTokenMinutes?: number;
  /** Life of id tokens. Default 30, at least 1. */
  readonly idTokenMinutes?: number;
  /** Life of refresh tokens. Default 1440 (a day), at least a minute more than that of access tokens. */
  readonly refreshTokenMinutes?: number;
  /** For how long after a login it can be prolonged. Default: for ever. */
  readonly maxSessionMinutes?: number;
  /**
   * Logins that may begin within a minute from one client address, or from one /64 network of IPv6; further ones get 429. Default 1,000, at least 1:
   * everyone behind one NAT, or behind a proxy that is not trusted, shares it.
   */
  readonly loginsPerMinute?: number;
  /** After so many days another key signs. Default 30, at least 1. */
  readonly keyRotationDays?: number;
  /**
   * Binds the tokens of a login by certificate to that certificate. Default true; set it to false behind a proxy that terminates TLS and forwards no
   * certificates.
   */
  readonly certificateBinding?: boolean;
  /** How the login pages look, and what they say. */
  readonly pages?: {
    /** The name of the host on the pages. Default `Overlay network`. */
    readonly name?: string;
    /** As `#rgb` or `#rrggbb`. Choose them with contrast. */
    readonly colors?: Partial<ProviderPages['colors']>;
    /** Texts by their names. Default: English. */
    readonly texts?: Partial<Record<PageText, string>>;
    /** Language of the texts, BCP 47. Default `en`. */
    readonly language?: string;
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

const WHERE = "the option 'oidc' of ManagementController.open";

/** @returns undefined where the provider is off. @throws TypeError that names the option, its value and what would be right */
export const providerSetup = (given: boolean | OidcOptions | undefined): ProviderSetup | undefined => {
  if (given === undefined || given === false) return undefined;
  const options = checkedOptions(WHERE, given === true ? {} : given, NAMES);
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
    loginsPerMinute: atLeast('loginsPerMinute', loginsPerMinute, 1),
    rotation: { every: days * DAY, keptFor: Math.max(access, id, refresh) * 1000 },
  };
};

const secondsOf = (name: string, minutes: number, least: number): number => Math.round(atLeast(name, minutes, least) * 60);

const atLeast = (name: string, value: number, least: number): number => {
  if (typeof value === 'number' && value >= least && Number.isFinite(value)) return value;
  throw new TypeError(`${WHERE} takes as ${name} ${least} or more, got ${value}`);
};

const clientsOf = ({
  redirectUris = DEFAULT_REDIRECT_URIS,
  postLogoutRedirectUris = DEFAULT_POST_LOGOUT_URIS,
  clients = [],
}: OidcOptions): ReadonlyMap<string, ProviderClient> => {
  const all = new Map<string, ProviderClient>();
  for (const id of ['openziti', 'native'])
    all.set(id, {
      id,
      redirectUris: addresses(redirectUris),
      postLogoutRedirectUris: addresses(postLogoutRedirectUris),
      isOfNetwork: true,
    });
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

const addresses = (given: readonly string[]): readonly string[] => {
  const wrong = given.find((one) => typeof one !== 'string' || !isRedirectPattern(one));
  if (wrong === undefined) return [...given];
  throw new TypeError(
    `${WHERE} takes addresses like https://app.example.org/callback or http://127.0.0.1:*/callback, without query and fragment, got '${wrong}'`,
  );
};

const hostOf = (host: string): string => {
  if (/^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host)) return host.toLowerCase();
  throw new TypeError(`${WHERE} takes as hosts names like overlay.example.org:1280, got '${host}'`);
};

const pagesOf = (given: NonNullable<OidcOptions['pages']>): ProviderPages => {
  checkedOptions(`pages in ${WHERE}`, given, { name: true, colors: true, texts: true, language: true });
  const { colors = {}, texts = {}, name = DEFAULT_PAGES.name, language = DEFAULT_PAGES.language } = given;
  const every = <T extends object>(of: T) => Object.fromEntries(Object.keys(of).map((key) => [key, true])) as Record<keyof T, true>; // of its keys
  checkedOptions(`colors of pages in ${WHERE}`, colors, every(DEFAULT_PAGES.colors));
  checkedOptions(`texts of pages in ${WHERE}`, texts, every(DEFAULT_PAGES.texts));
  const wrong = Object.entries(colors).find(([, color]) => !isColor(color));
  if (wrong) throw new TypeError(`${WHERE} takes colors like #0b57d0, got '${wrong[1]}' for ${wrong[0]}`);
  return { name, language, colors: { ...DEFAULT_PAGES.colors, ...colors }, texts: { ...DEFAULT_PAGES.texts, ...texts } };
};
