import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encode } from 'jose/base64url';
import type { HttpOutput } from '../../../../api/surfaces/http-output.ts';
import type { ProviderPages } from '../../../../call/provider.ts';
import { HTML_TYPE } from '../../../../wire/media-types.ts';

/**
 * A border in a color between those of text and surface, with a contrast of at least 3:1 for the default colors (WCAG 2.2, 1.4.11). Browsers without
 * `color-mix` use the color of the text.
 */
const line = (text: string, surface: string): string => `border:1px solid ${text};border-color:color-mix(in srgb,${text} 62%,${surface})`;

/** A single column that fits a phone, with sizes and focus styles that are accessible to people with impaired vision or motor control. */
const styleOf = ({ colors: { accent, background, surface, text } }: ProviderPages): string =>
  [
    `:root{color-scheme:light}*{box-sizing:border-box}`,
    `body{margin:0;background:${background};color:${text};font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}`,
    `main{max-width:26rem;margin:0 auto;padding:max(1.5rem,9vh) 1rem 2rem}`,
    `.card{background:${surface};border-radius:.75rem;padding:2rem;box-shadow:0 1px 3px #00000029}`,
    `.name{margin:0 0 1.25rem;font-size:1.125rem;font-weight:600;text-align:center}`,
    `h1{margin:0 0 1.25rem;font-size:1.375rem;font-weight:600;line-height:1.25}p{margin:0 0 1rem}`,
    `label{display:block;margin:1rem 0 .375rem;font-weight:600}`,
    `input{width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;color:inherit;background:${surface};${line(text, surface)};border-radius:.5rem}`,
    `input[name=code]{font-family:ui-monospace,monospace;font-size:1.25rem;letter-spacing:.15em}`,
    `.hint{margin:.375rem 0 0;font-size:.875rem}`,
    `button{width:100%;min-height:2.875rem;margin-top:1.5rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:${surface};background:${accent};border:2px solid ${accent};border-radius:.5rem;cursor:pointer}`,
    `button:hover{filter:brightness(.9)}button.other{margin-top:.75rem;color:${accent};background:${surface}}`,
    `a{color:${accent}}:focus-visible{outline:3px solid ${accent};outline-offset:2px}`,
    // Dark red on light red: contrast 8.5:1, independent of the colors of the host.
    `.refused{margin:0 0 1rem;padding:.75rem 1rem;color:#8a1212;background:#fdeeee;border-left:4px solid #b3261e;border-radius:.5rem}`,
    `.more{margin:1.25rem 0 0;text-align:center}`,
    `ol{margin:0 0 -1.25rem;padding-left:1.25rem}ol>li{margin-bottom:1.25rem;padding-left:.25rem}ol>li::marker{font-weight:600}`,
    `img{display:block;width:12rem;max-width:100%;margin:.5rem auto;image-rendering:pixelated;background:#fff}`,
    `code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}.key{display:block;margin-top:.25rem}.key span{display:inline-block;margin-right:.6em}`,
    `.codes{display:grid;grid-template-columns:repeat(auto-fill,minmax(4.25rem,1fr));gap:.25rem .75rem;margin:.75rem 0 0;padding:.75rem 1rem;list-style:none;background:${background};border-radius:.5rem}`,
    `@media(max-width:30rem){.card{padding:1.5rem 1.25rem}main{padding-top:1.5rem}}@media(forced-colors:active){.refused{border:2px solid}}`,
  ].join('');

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
  readonly leadsTo?: string | undefined;
}

/** Renders a page, with a content security policy (CSP Level 3) under which it loads no external resources and can be framed only where the host allows it. */
export const htmlPage = (pages: ProviderPages, { title, content, status = 200, headers = {}, leadsTo }: HtmlPage): HttpOutput => {
  const style = styleOf(pages);
  const { frameAncestors } = pages;
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
        `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
        "base-uri 'none'",
      ].join('; '),
      // Not `no-referrer`: browsers would send the forms of the page with `Origin: null` (Fetch Standard, 3.2).
      'referrer-policy': 'same-origin',
      ...(frameAncestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
      ...headers,
    },
    body: body.text,
  };
};

/** The source expression for an address in the policy: its origin or, for a custom scheme, the scheme. Callers have checked that the address is allowed. */
const originOf = (address: string): string => {
  const { protocol, origin } = URL.parse(address) ?? { protocol: 'https:', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol;
};

/** Base64 with padding (RFC 4648, section 4). */
export const base64 = (bytes: Uint8Array): string => {
  const text = encode(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
};
