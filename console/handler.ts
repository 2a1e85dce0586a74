import type { Handling } from '../adapters/http/handling.ts';
import { splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer } from '../src/index.ts';
import { descriptionsOf, type OpenApi } from './descriptions.ts';
import { documentOf, themeOf } from './document.ts';
import { type ConsoleOptions, type ConsoleSetup, consoleSetup } from './options.ts';
import { createServedFile, type ServedFile, sendFile } from './served-file.ts';

/**
 * Serves the console below `/console`, and passes all other requests to `controller`. Users log in through the controller's OpenID
 * provider, so open the controller with `oidc: { consolePath: '/console/' }`.
 *
 * ```ts
 * const { address } = await serve({ controller: consoleHandler(controller, { name: 'Example Ltd.' }) });
 * ```
 * @throws TypeError for an unknown or invalid option
 */
export const consoleHandler = (controller: Handling, options: ConsoleOptions = {}): Handling => {
  const setup = consoleSetup(options);
  const headers = headersOf(setup);
  const files = memoize(() => createFiles(setup));
  const descriptions = memoize(() => readDescriptions(controller));
  return {
    ...(controller.logger ? { logger: controller.logger } : {}),
    handle: async (request) => {
      const { path } = splitTarget(request.target);
      if (path !== setup.path && !path.startsWith(`${setup.path}/`)) return controller.handle(request);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return plain(405, 'only GET and HEAD are supported here', { ...headers, allow: 'GET, HEAD' });
      // The location is relative, so that it is correct below any mount path, even one that a proxy strips.
      if (path === setup.path) return plain(308, '', { ...headers, location: `${setup.path.slice(setup.path.lastIndexOf('/') + 1)}/` });
      const name = path.slice(setup.path.length + 1);
      if (name === DESCRIPTIONS) {
        const file = await descriptions();
        return file ? sendFile(request, file, headers) : plain(503, 'the controller is not ready yet', { ...headers, 'retry-after': '5' });
      }
      const file = (await files())?.get(name);
      if (!file) return plain(404, 'there is no such file', headers);
      return sendFile(request, file, name === LOGO ? { ...headers, 'content-security-policy': LOGO_POLICY } : headers);
    },
  };
};

/** Computes a value once for all requests. A failed attempt is not cached: the next request tries again. */
const memoize = <T>(compute: () => Promise<T | undefined>): (() => Promise<T | undefined>) => {
  let cached: Promise<T | undefined> | undefined;
  const attempt = async (): Promise<T | undefined> => {
    let value: T | undefined;
    try {
      value = await compute();
    } finally {
      if (value === undefined) cached = undefined;
    }
    return value;
  };
  return () => {
    cached ??= attempt();
    return cached;
  };
};

/** The file with the permissions of operations and the schemas of bodies. */
const DESCRIPTIONS = 'descriptions.json';

const LOGO = 'logo';
/** A logo that is opened as a page of its own runs no script, and belongs to no origin. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

type Headers = CoreAnswer['headers'];

/**
 * Allows scripts, styles, pictures and requests of the controller's own origin only, frames of the pages of the host only, no HTML from
 * strings (Trusted Types), and no framing unless the host allows it.
 */
const headersOf = ({ frameAncestors, framed }: ConsoleSetup): Headers => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...(framed.length === 0 ? [] : [`frame-src ${framed.join(' ')}`]),
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

const createFiles = async (setup: ConsoleSetup): Promise<ReadonlyMap<string, ServedFile>> => {
  const { assets } = await import('./assets.ts');
  const { script, parts, styles, icon } = await assets();
  const { logo } = setup;
  const contents: readonly (readonly [name: string, type: string, content: string | Uint8Array])[] = [
    ['', 'text/html; charset=utf-8', documentOf(setup)],
    ...Object.entries({ 'app.js': script, ...parts }).map(([name, content]) => [name, 'text/javascript; charset=utf-8', content] as const),
    ['app.css', 'text/css; charset=utf-8', `${styles}${themeOf(setup)}`],
    ['icon.svg', 'image/svg+xml', icon],
    ...(logo ? [[LOGO, logo.type, logo.content] as const] : []),
  ];
  return new Map(await Promise.all(contents.map(async ([name, type, content]) => [name, await createServedFile(type, content)] as const)));
};

/** The descriptions of the controller's operations; undefined while the controller is not ready. */
const readDescriptions = async (controller: Handling): Promise<ServedFile | undefined> => {
  const { status, body } = await controller.handle({
    method: 'GET',
    target: '/edge/management/extensions/v1/openapi.json',
    header: () => undefined,
    body: async () => new Uint8Array(),
  });
  if (status !== 200) return undefined;
  const document = JSON.parse(await textOf(body)) as OpenApi; // its own document
  return createServedFile('application/json', JSON.stringify(descriptionsOf(document)));
};

const textOf = async (body: CoreAnswer['body']): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
};
