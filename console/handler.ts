import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Handling } from '../adapters/http/handling.ts';
import { splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';
import { descriptionsOf, type OpenApi } from './descriptions.ts';
import { documentOf, themeOf } from './document.ts';
import { type ConsoleOptions, type ConsoleSetup, consoleSetup } from './options.ts';

/** A file of the console. */
interface File {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/**
 * Serves the console below `/console`, and passes all other requests to `controller`. People log in through the controller's OpenID provider, so open the
 * controller with `oidc: { consolePath: '/console/' }`.
 *
 * ```ts
 * const { address } = await serve({ controller: consoleHandler(controller, { name: 'Example Ltd.' }) });
 * ```
 * @throws TypeError for an unknown or invalid option
 */
export const consoleHandler = (controller: Handling, options: ConsoleOptions = {}): Handling => {
  const setup = consoleSetup(options);
  const headers = headersOf(setup);
  const files = kept(() => filesOf(setup));
  const description = kept(() => describe(controller));
  return {
    ...(controller.logger ? { logger: controller.logger } : {}),
    handle: async (request) => {
      const { path } = splitTarget(request.target);
      if (path !== setup.path && !path.startsWith(`${setup.path}/`)) return controller.handle(request);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return plain(405, 'only GET and HEAD are answered here', { ...headers, allow: 'GET, HEAD' });
      // Relative, so that it holds below any mount path, also one that a proxy has taken off.
      if (path === setup.path) return plain(308, '', { ...headers, location: `${setup.path.slice(setup.path.lastIndexOf('/') + 1)}/` });
      const name = path.slice(setup.path.length + 1);
      if (name === DESCRIPTIONS) {
        const described = await description();
        return described
          ? send(request, described, headers)
          : plain(503, 'the controller does not answer yet', { ...headers, 'retry-after': '5' });
      }
      const file = (await files())?.get(name);
      return file ? send(request, file, headers) : plain(404, 'there is no such file', headers);
    },
  };
};

/** What is made once, however many ask for it at the same time. A failed attempt is not kept: the next request tries again. */
const kept = <T>(make: () => Promise<T | undefined>): (() => Promise<T | undefined>) => {
  let made: Promise<T | undefined> | undefined;
  const attempt = async (): Promise<T | undefined> => {
    let value: T | undefined;
    try {
      value = await make();
    } finally {
      if (value === undefined) made = undefined;
    }
    return value;
  };
  return () => {
    made ??= attempt();
    return made;
  };
};

/** Rights of operations, and schemas of bodies. */
const DESCRIPTIONS = 'descriptions.json';

type Headers = CoreAnswer['headers'];

/** No script, style, picture or request but those of the controller itself; no HTML from text (Trusted Types); no framing unless the host allows it. */
const headersOf = ({ frameAncestors }: ConsoleSetup): Headers => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
});

const plain = (status: number, message: string, headers: Headers): CoreAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: message === '' ? '' : `${message}\n`,
});

const send = (request: CoreRequest, { type, bytes, etag }: File, headers: Headers): CoreAnswer => {
  // Proxies that compress an answer weaken its tag.
  const known = (request.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag)) return { status: 304, headers: { ...headers, etag }, body: '' };
  return { status: 200, headers: { ...headers, etag, 'content-type': type }, body: bytes };
};

const filesOf = async (setup: ConsoleSetup): Promise<ReadonlyMap<string, File>> => {
  const { assets } = await import('./assets.ts');
  const { script, styles, icon } = await assets();
  return new Map([
    ['', fileOf('text/html; charset=utf-8', documentOf(setup))],
    ['app.js', fileOf('text/javascript; charset=utf-8', script)],
    ['app.css', fileOf('text/css; charset=utf-8', `${styles}${themeOf(setup)}`)],
    ['icon.svg', fileOf('image/svg+xml', icon)],
  ]);
};

/** What forms need to know of the operations of this controller. Undefined while it does not answer. */
const describe = async (controller: Handling): Promise<File | undefined> => {
  const { status, body } = await controller.handle({
    method: 'GET',
    target: '/edge/management/extensions/v1/openapi.json',
    header: () => undefined,
    body: async () => new Uint8Array(),
  });
  if (status !== 200) return undefined;
  const document = JSON.parse(await textOf(body)) as OpenApi; // its own document
  return fileOf('application/json', JSON.stringify(descriptionsOf(document)));
};

const textOf = async (body: CoreAnswer['body']): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body) text += decoder.decode(part, { stream: true });
  return text;
};

/** A file, encoded once for all requests. */
const fileOf = (type: string, text: string): File => {
  const bytes = utf8ToBytes(text);
  return { type, bytes, etag: `"${bytesToHex(sha256(bytes).slice(0, 12))}"` };
};
