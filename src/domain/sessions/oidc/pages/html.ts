import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encode } from 'jose/base64url';
import type { HttpOutput } from '../../../../api/surfaces/http-output.ts';
import type { ProviderPages } from '../../../../call/provider.ts';
import { HTML_TYPE } from '../../../../wire/media-types.ts';
import { styleOf } from './style.ts';

/** Text that stands in a page as it is: made by `html` only. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Html | readonly Html[] | undefined;

/** A piece of a page: every value is escaped, unless it is a piece itself. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, i) => `${text}${i < parts.length ? textOf(parts[i]) : ''}`).join(''));

const textOf = (part: Part): string => {
  if (part === undefined) return '';
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
};

/** A page of the provider, without scripts and without external resources. */
export interface HtmlPage {
  readonly title: string;
  readonly content: Html;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where forms of the page may lead in the end, beside this site: browsers hold redirects against it. */
  readonly leadsTo?: string | undefined;
}

/** @returns the page, with a policy (CSP Level 3) under which it loads nothing and cannot be framed */
export const htmlPage = (pages: ProviderPages, { title, content, status = 200, headers = {}, leadsTo }: HtmlPage): HttpOutput => {
  const style = styleOf(pages);
  const body = html`<!doctype html>
<html lang="${pages.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${pages.name}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<p class="name">${pages.name}</p>
<div class="card">
<h1>${title}</h1>
${content}
</div>
</main>
</body>
</html>
`;
  return {
    status,
    contentType: `${HTML_TYPE}; charset=utf-8`,
    headers: {
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${base64(sha256(utf8ToBytes(style)))}'`,
        'img-src data:',
        `form-action 'self'${leadsTo === undefined ? '' : ` ${originOf(leadsTo)}`}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
      // Not `no-referrer`: browsers would send the forms of the page with `Origin: null` (Fetch Standard, 3.2).
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      ...headers,
    },
    body: body.text,
  };
};

/** As a source of a policy: schemes that are not of the web have no origin. The address was compared with those that the host allows. */
const originOf = (address: string): string => {
  const { protocol, origin } = URL.parse(address) ?? { protocol: 'https:', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
};

/** RFC 4648, section 4. */
export const base64 = (bytes: Uint8Array): string => {
  const text = encode(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
};
