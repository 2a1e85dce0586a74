import { LANGUAGES } from './app/texts.ts';
import type { ConsoleLink, ConsolePage, ConsoleSetup } from './options.ts';

/** The settings that the page passes to the application, as JSON in a `meta` element, because its policy allows no inline scripts. */
export interface PageSettings {
  readonly name: string;
  /** The path of the console, e.g. `/console`. */
  readonly path: string;
  readonly features: readonly string[];
  /** True if tabs sign in for each other. */
  readonly sharesSignIn: boolean;
  /** The address of a guide, with `{name}` in place of its name; missing if the host publishes none. */
  readonly guides?: string;
  /** The address of the logo. */
  readonly logo: string;
  readonly links: readonly ConsoleLink[];
  readonly pages: readonly ConsolePage[];
  /** Texts of the host, by language and name. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The languages to choose from. That of the host is one of them, whether the console has texts in it or the host. */
  readonly languages: readonly string[];
  /** The language of the host; missing if people see the first of their browser that the console has. */
  readonly language?: string;
}

/** The HTML of the console. Its URLs are relative, so that it works below any mount path. */
export const documentOf = ({ name, path, features, shareSignIn: sharesSignIn, logo, ...host }: ConsoleSetup): string => {
  const { links, pages, texts, language, guides } = host;
  const icon = logo ? { name: 'logo', type: logo.type } : { name: 'icon.svg', type: 'image/svg+xml' };
  const settings: PageSettings = {
    name,
    path,
    features,
    sharesSignIn,
    logo: icon.name,
    links,
    pages,
    texts,
    languages: languagesOf(language),
    ...(language === undefined ? {} : { language }),
    ...(guides === undefined ? {} : { guides }),
  };
  return `<!doctype html>
<html lang="${escaped(language ?? 'en')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="overlay-console" content="${escaped(JSON.stringify(settings))}">
<title>${escaped(name)}</title>
<link rel="icon" href="${icon.name}" type="${icon.type}">
<link rel="stylesheet" href="app.css">
<script type="module" src="app.js"></script>
</head>
<body>
<div id="app"><noscript>The console needs JavaScript.</noscript></div>
</body>
</html>
`;
};

/** A language of the host is in place of the one of the console that it is a form of. */
const languagesOf = (ofHost: string | undefined): readonly string[] =>
  ofHost === undefined ? LANGUAGES : [ofHost, ...LANGUAGES.filter((own) => own !== ofHost.split('-', 1)[0])];

/** The style sheet with the colours of the host, to be appended to that of the console. */
export const themeOf = ({ colours: { accent, accentDark = accent } }: ConsoleSetup): string =>
  [
    ...(accent === undefined ? [] : [`:root{--accent:${accent}}`]),
    ...(accentDark === undefined ? [] : [`@media (prefers-color-scheme:dark){:root{--accent:${accentDark}}}`]),
  ].join('\n');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
