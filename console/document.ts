import type { ConsoleSetup } from './options.ts';

/** What the application is told by its page, as JSON in a `meta` element: an inline script is not allowed to run. */
export interface PageSettings {
  readonly name: string;
  /** The path of the console below the controller, e.g. `/console`. */
  readonly path: string;
  readonly features: readonly string[];
}

/** The page of the console. Its addresses are relative, so that it works below any mount path. */
export const documentOf = ({ name, path, features }: ConsoleSetup): string => {
  const settings: PageSettings = { name, path, features };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="overlay-console" content="${escaped(JSON.stringify(settings))}">
<title>${escaped(name)}</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="app.css">
<script type="module" src="app.js"></script>
</head>
<body>
<div id="app"><noscript>The console needs JavaScript.</noscript></div>
</body>
</html>
`;
};

/** The colours of the host, as a style sheet after that of the console. */
export const themeOf = ({ colours: { accent, accentDark = accent } }: ConsoleSetup): string =>
  [
    ...(accent === undefined ? [] : [`:root{--accent:${accent}}`]),
    ...(accentDark === undefined ? [] : [`@media (prefers-color-scheme:dark){:root{--accent:${accentDark}}}`]),
  ].join('\n');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
