import { checkedOptions } from '../src/adapter-kit.ts';

/** A part of the console that a host may leave out. */
export type ConsoleFeature = (typeof CONSOLE_FEATURES)[number];

export const CONSOLE_FEATURES = ['overview', 'access', 'audit', 'traffic', 'entities'] as const;

/** How a host shows the console. Each option has a default. */
export interface ConsoleOptions {
  /** The name above the pages, at most 100 characters. Default `Overlay network`. */
  readonly name?: string;
  /** As `#rgb` or `#rrggbb`. Choose colours with sufficient contrast: `accent` to white, `accentDark` to black. Default: a blue. */
  readonly colours?: { readonly accent?: string; readonly accentDark?: string };
  /** Parts to leave out: `{ overview: false }`. Default: none. */
  readonly features?: Partial<Readonly<Record<ConsoleFeature, boolean>>>;
  /** The path of the console, without a slash at its end. The controller needs the same, with the slash, as `oidc.consolePath`. Default `/console`. */
  readonly path?: string;
  /** Origins whose pages may frame the console, such as `https://portal.example.com`. Default: none. */
  readonly frameAncestors?: readonly string[];
}

/** The options of a console, complete and checked. */
export interface ConsoleSetup {
  readonly name: string;
  readonly colours: { readonly accent?: string; readonly accentDark?: string };
  readonly features: readonly ConsoleFeature[];
  readonly path: string;
  readonly frameAncestors: readonly string[];
}

const WHERE = 'consoleHandler';

/** @throws TypeError with the option, its value and the expected value */
export const consoleSetup = (input: ConsoleOptions): ConsoleSetup => {
  const known = { name: true, colours: true, features: true, path: true, frameAncestors: true } as const;
  const {
    name = 'Overlay network',
    colours = {},
    features = {},
    path = '/console',
    frameAncestors = [],
  } = checkedOptions(WHERE, input, known);
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100)
    throw new TypeError(`${WHERE} takes as name a text of 1 to 100 characters, got '${name}'`);
  checkedOptions(`colours of ${WHERE}`, colours, { accent: true, accentDark: true });
  const wrongColour = Object.entries(colours).find(([, colour]) => !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(colour));
  if (wrongColour) throw new TypeError(`${WHERE} takes colours like #0b57d0, got '${wrongColour[1]}' for ${wrongColour[0]}`);
  checkedOptions(`features of ${WHERE}`, features, { overview: true, access: true, audit: true, traffic: true, entities: true });
  if (!/^(\/[\w~-][\w.~-]*)+$/.test(path))
    throw new TypeError(`${WHERE} takes as path one like /console, without a slash at its end, got '${path}'`);
  const wrongOrigin = frameAncestors.find((origin) => !isOrigin(origin));
  if (wrongOrigin !== undefined)
    throw new TypeError(`${WHERE} takes as frameAncestors origins like https://portal.example.com, got '${wrongOrigin}'`);
  return { name, colours, features: CONSOLE_FEATURES.filter((feature) => features[feature] !== false), path, frameAncestors };
};

/** True for scheme, host and port alone. Hosts of URLs may contain `;`, `,` and `*`, which would add a directive or a policy, or allow any site. */
const isOrigin = (origin: unknown): boolean =>
  typeof origin === 'string' &&
  /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(origin) &&
  URL.parse(origin)?.origin === origin;
