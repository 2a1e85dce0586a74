import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SAFE_HEADERS, splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer } from '../src/index.ts';
import { escapeHtml, htmlOf, titleIn } from './guide-html.ts';
import { isReading, methodNotAllowed, type Route } from './routes.ts';

/** The address of a guide on this server, relative to the console. */
export const GUIDES = '../guides/{name}.html';

const PATH = /^\/guides\/([a-z0-9-]+)\.html$/;

/** The documents of the package: beside the sources, or above `dist`. */
const DOCS =
  ['../docs', '../../docs'].map((path) => join(import.meta.dirname, path)).find((path) => existsSync(join(path, 'guides'))) ?? '';

/** Files by the names of their pages: of these folders, whatever is asked for. */
const filesByName = (): ReadonlyMap<string, string> =>
  new Map(
    ['reference', '.', 'guides'].flatMap((folder) =>
      readdirSync(join(DOCS, folder)).flatMap((file) =>
        file.endsWith('.md') ? [[file.slice(0, -'.md'.length), join(DOCS, folder, file)]] : [],
      ),
    ) as readonly (readonly [string, string])[],
  );

let files: ReadonlyMap<string, string> | undefined;
/** The pages that were asked for, so that strangers cannot have them computed again and again. */
const pages = new Map<string, Promise<CoreAnswer>>();

/** Pages of the guides, which help in the console links to. They are the same for everybody, and in the package. */
export const guidesRoute: Route = (request) => {
  const [, name] = PATH.exec(splitTarget(request.target).path) ?? [];
  if (name === undefined || DOCS === '') return undefined;
  files ??= filesByName();
  const file = files.get(name);
  if (file === undefined) return undefined;
  if (!isReading(request)) return Promise.resolve(methodNotAllowed());
  const known = pages.get(name);
  if (known) return known;
  const page = pageOf(file, files);
  pages.set(name, page);
  page.catch(() => pages.delete(name));
  return page;
};

const pageOf = async (file: string, all: ReadonlyMap<string, string>): Promise<CoreAnswer> => {
  const markdown = await readFile(file, 'utf8');
  return {
    status: 200,
    headers: HEADERS,
    body: documentOf(
      titleIn(markdown),
      htmlOf(markdown, (target) => addressOf(target, all)),
    ),
  };
};

/** Links between documents lead to their pages; those to other files of the repository to none. */
const addressOf = (target: string, all: ReadonlyMap<string, string>): string | undefined => {
  if (/^(https?:\/\/|#)/.test(target)) return target;
  const [, name = '', anchor = ''] = /([a-z0-9-]+)\.md(#.*)?$/.exec(target) ?? [];
  return all.has(name) ? `${name}.html${anchor}` : undefined;
};

const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d5dae1,#39414d);--quiet:light-dark(#f3f5f8,#1d232b)}
body{margin:0 auto;padding:1rem 1rem 4rem;max-width:52rem;font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere;background:light-dark(#fff,#14181d);color:light-dark(#1c2229,#e4e8ee)}
h1,h2,h3{line-height:1.25}h2{margin-top:2em}a{color:light-dark(#0b57d0,#8ab4f8)}
pre,code{font-family:ui-monospace,monospace;font-size:.875em;background:var(--quiet);border-radius:.25rem}code{padding:.1em .3em}
pre{padding:.75rem;overflow-x:auto;overflow-wrap:normal}pre code{padding:0;font-size:1em}
table{display:block;overflow-x:auto;border-collapse:collapse}th,td{padding:.4rem .6rem;border:1px solid var(--line);text-align:left;vertical-align:top;min-width:6rem}`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  ...SAFE_HEADERS,
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-cache',
};

const documentOf = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
