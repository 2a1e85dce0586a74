import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encode } from 'jose/base64url';
import type { ProviderPages } from '../../../call/provider.ts';
import type { HttpOutput } from '../../../contract/api/surfaces/http-output.ts';
import { HTML_TYPE } from '../../../contract/wire/media-types.ts';
import { styleSheet } from './style-sheet.ts';

/** Text that is inserted into a page unescaped. Create it only with `html`. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Html | readonly Html[] | undefined;

/** A fragment of a page. Escapes every value that is not itself a fragment. */
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
  /** The external address to which the page's forms may redirect: browsers check redirects against `form-action`. */
  readonly redirectsTo?: string | undefined;
}

/** Renders a page. */
export const htmlPage = (pages: ProviderPages, { title, content, status = 200, headers = {}, redirectsTo }: HtmlPage): HttpOutput => {
  const style = styleSheet(pages);
  const { frameAncestors } = pages;
  const body = html`<!doctype html>
<html lang="${pages.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${pages.name}</title>
<link rel="icon" href="data:,">
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
      'content-security-policy': contentSecurityPolicy(style, frameAncestors, redirectsTo),
      // Not `no-referrer`: browsers would send the forms of the page with `Origin: null` (Fetch Standard, 3.2).
      'referrer-policy': 'same-origin',
      'content-language': pages.language,
      ...(frameAncestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
      ...headers,
    },
    body: body.text,
  };
};

/** The policy (CSP Level 3) under which a page loads no external resources, and can be framed only where the host allows it. */
const contentSecurityPolicy = (style: string, frameAncestors: readonly string[], redirectsTo: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${base64(sha256(utf8ToBytes(style)))}'`,
    'img-src data:',
    `form-action 'self'${redirectsTo === undefined ? '' : ` ${originOf(redirectsTo)}`}`,
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
    "base-uri 'none'",
  ].join('; ');

/**
 * The source expression for an address in the policy: its origin or, for a custom scheme, the scheme. Callers have checked that the address
 * is allowed.
 */
const originOf = (address: string): string => {
  const { protocol, origin } = URL.parse(address) ?? { protocol: 'https:', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
};

/** Base64 with padding (RFC 4648, section 4). */
export const base64 = (bytes: Uint8Array): string => {
  const text = encode(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
};
