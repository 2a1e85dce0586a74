import { checkedOptions } from '../src/adapter-kit.ts';
import { type Logo, logoOf } from './logo.ts';
import { checkTexts } from './own-texts.ts';
import { framedOrigin, isLinkAddress, isOrigin } from './web-addresses.ts';

/** A part of the console that a host may disable. */
export type ConsoleFeature = (typeof CONSOLE_FEATURES)[number];

export const CONSOLE_FEATURES = ['overview', 'access', 'audit', 'traffic', 'entities'] as const;

/** A link of the host in the navigation. */
export interface ConsoleLink {
  /** At most 100 characters. */
  readonly label: string;
  /** An http or https address, or one relative to the console, such as `../wiki/`. */
  readonly address: string;
}

/** A page of the host, which the console shows in a frame. */
export interface ConsolePage extends ConsoleLink {
  /** The part of the address of the console that leads to it: lower-case letters, digits and hyphens. */
  readonly path: string;
  /** The https address of the page; at `localhost`, http suffices. */
  readonly address: string;
}

/** Options of the console. Each has a default. */
export interface ConsoleOptions {
  /** The name above the pages, at most 100 characters. Default `Overlay network`. */
  readonly name?: string;
  /**
   * The accent colours, as `#rgb` or `#rrggbb`: `accent` needs sufficient contrast to white, `accentDark` to black. Default: a blue, and
   * `accent` in place of a missing `accentDark`.
   */
  readonly colours?: { readonly accent?: string; readonly accentDark?: string };
  /** The parts to disable, e.g. `{ overview: false }`. Default: none. */
  readonly features?: Partial<Readonly<Record<ConsoleFeature, boolean>>>;
  /**
   * The path of the console, without a trailing slash. The controller needs the same path, with a trailing slash, as `oidc.consolePath`.
   * Default `/console`.
   */
  readonly path?: string;
  /**
   * False to have people sign in in each tab. Turn it off if other applications at the same origin are not to be trusted with the session
   * of the person. Default true.
   */
  readonly shareSignIn?: boolean;
  /**
   * The address of the guides of this package where you publish them, with `{name}` in place of their names, such as
   * `https://docs.example.com/guides/{name}.html`, or an address relative to the console. Default: the console links to no guides.
   */
  readonly guides?: string;
  /** Origins whose pages may frame the console, such as `https://portal.example.com`. Default: none. */
  readonly frameAncestors?: readonly string[];
  /** The bytes of a PNG, or the bytes or the text of an SVG, at most 256 KiB. Default: the icon of the console. */
  readonly logo?: Uint8Array | string;
  /** Links below the navigation, at most 20. They open in a new tab. */
  readonly links?: readonly ConsoleLink[];
  /**
   * Pages of the host, at most 20, each in a frame with a sandbox. They get nothing from the console, neither tokens nor names, and cannot
   * lead it elsewhere.
   */
  readonly pages?: readonly ConsolePage[];
  /**
   * Texts in place of those of the console, by name, such as `signOut` or `hints.offline`. `{1}` is the first parameter of a text. They are
   * in `language`; those in another language are below its tag: `{ signOut: 'Leave', de: { signOut: 'Verlassen' } }`.
   */
  readonly texts?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /**
   * The language that people see unless they choose another (BCP 47). What has no text in it is in English. Default: the first language of
   * the browser that the console has (English and German), or English; `texts` are in English then.
   */
  readonly language?: string;
}

/** The validated options of a console, with defaults applied. */
export interface ConsoleSetup {
  readonly name: string;
  readonly colours: { readonly accent?: string; readonly accentDark?: string };
  readonly features: readonly ConsoleFeature[];
  readonly path: string;
  readonly shareSignIn: boolean;
  readonly guides: string | undefined;
  readonly frameAncestors: readonly string[];
  readonly logo: Logo | undefined;
  readonly links: readonly ConsoleLink[];
  readonly pages: readonly ConsolePage[];
  /** The origins of `pages`. */
  readonly framed: readonly string[];
  /** By language. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly language: string | undefined;
}

const WHERE = 'consoleHandler';

const OPTIONS = {
  name: true,
  colours: true,
  features: true,
  path: true,
  shareSignIn: true,
  guides: true,
  frameAncestors: true,
  logo: true,
  links: true,
  pages: true,
  texts: true,
  language: true,
} as const;

/** @throws TypeError that names the option, its value and the expected value */
export const consoleSetup = (input: ConsoleOptions): ConsoleSetup => {
  const {
    name = 'Overlay network',
    colours = {},
    features = {},
    path = '/console',
    shareSignIn = true,
    guides,
    frameAncestors = [],
    logo,
    links = [],
    pages = [],
    texts = {},
    language,
  } = checkedOptions(WHERE, input, OPTIONS);
  checkLabel('name', name);
  checkedOptions(`colours of ${WHERE}`, colours, { accent: true, accentDark: true });
  const wrongColour = Object.entries(colours).find(([, colour]) => !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(colour));
  if (wrongColour) throw new TypeError(`${WHERE} takes colours like #0b57d0, got '${wrongColour[1]}' for ${wrongColour[0]}`);
  checkedOptions(`features of ${WHERE}`, features, { overview: true, access: true, audit: true, traffic: true, entities: true });
  if (!/^(\/[\w~-][\w.~-]*)+$/.test(path))
    throw new TypeError(`${WHERE} takes as path one like /console, without a slash at its end, got '${path}'`);
  if (typeof shareSignIn !== 'boolean') throw new TypeError(`${WHERE} takes as shareSignIn true or false, got '${shareSignIn}'`);
  if (guides !== undefined && !isGuideAddress(guides))
    throw new TypeError(`${WHERE} takes as guides an address like https://docs.example.com/guides/{name}.html, got '${guides}'`);
  const wrongOrigin = frameAncestors.find((origin) => !isOrigin(origin));
  if (wrongOrigin !== undefined)
    throw new TypeError(`${WHERE} takes as frameAncestors origins like https://portal.example.com, got '${wrongOrigin}'`);
  for (const link of checkList('links', links, { label: true, address: true }))
    if (!isLinkAddress(link.address))
      throw new TypeError(`${WHERE} takes as address of links an http or https address, or a relative one, got '${link.address}'`);
  checkPages(checkList('pages', pages, { label: true, address: true, path: true }));
  const tag = language === undefined ? undefined : languageOf(language);
  return {
    ...{ name, colours, path, shareSignIn, guides, frameAncestors, links, pages },
    features: CONSOLE_FEATURES.filter((feature) => features[feature] !== false),
    logo: logo === undefined ? undefined : logoOf(WHERE, logo),
    framed: [...new Set(pages.map(({ address }) => framedOrigin(address) ?? ''))],
    texts: checkTexts(WHERE, texts, tag),
    language: tag,
  };
};

const isGuideAddress = (address: unknown): boolean =>
  typeof address === 'string' && address.includes('{name}') && isLinkAddress(address.replace('{name}', 'name'));

const checkLabel = (option: string, label: unknown): void => {
  if (typeof label !== 'string' || label.trim() === '' || label.length > 100)
    throw new TypeError(`${WHERE} takes as ${option} a text of 1 to 100 characters, got '${label}'`);
};

const MAX_LINKS = 20;

/** Checks what links and pages have in common. */
const checkList = <T extends ConsoleLink>(
  option: string,
  list: readonly T[],
  members: Parameters<typeof checkedOptions<T>>[2],
): readonly T[] => {
  if (!Array.isArray(list) || list.length > MAX_LINKS)
    throw new TypeError(`${WHERE} takes as ${option} a list of at most ${MAX_LINKS}, got '${list.length ?? list}'`);
  for (const each of list) checkLabel(`label of ${option}`, checkedOptions(`${option} of ${WHERE}`, each, members).label);
  return list;
};

const checkPages = (pages: readonly ConsolePage[]): void => {
  for (const [at, { path, address }] of pages.entries()) {
    if (typeof path !== 'string' || !/^[a-z0-9-]{1,50}$/.test(path))
      throw new TypeError(`${WHERE} takes as path of pages lower-case letters, digits and hyphens, got '${path}'`);
    if (pages.findIndex((other) => other.path === path) < at) throw new TypeError(`${WHERE} takes each path of pages once, got '${path}'`);
    if (framedOrigin(address) === undefined) throw new TypeError(`${WHERE} takes as address of pages an https address, got '${address}'`);
  }
};

/** The canonical form of a language. */
const languageOf = (language: string): string => {
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(language);
    if (canonical !== '') return canonical;
  } catch {
    // It is named below.
  }
  throw new TypeError(`${WHERE} takes as language a tag like en or pt-BR, got '${language}'`);
};
