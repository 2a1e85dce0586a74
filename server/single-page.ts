import { realpath } from 'node:fs/promises';
import { extname } from 'node:path';
import { withoutMount } from '../adapters/http/mount.ts';
import { splitTarget } from '../src/adapter-kit.ts';
import type { CoreAnswer, CoreRequest } from '../src/index.ts';
import { describeFileError, StartFailure } from './failure.ts';
import { isReading, methodNotAllowed, type Route, refusal } from './routes.ts';
import { contentsOf, type OpenFile, openBelow, safeSegments } from './static-files.ts';

type Headers = CoreAnswer['headers'];

/** A single-page application: its path, and the folder with its files. */
export interface Application {
  /** E.g. `/zac`. */
  readonly path: string;
  readonly folder: string;
}

/** The redirect URI of logins in the admin console of OpenZiti, wherever the console is served. It need not be a page. */
export const CALLBACK_PATH = '/auth/callback';

/** Forbids content sniffing, and framing by other sites. */
const SAFE: Headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "frame-ancestors 'self'",
  'referrer-policy': 'same-origin',
};
const INDEX = ['index.html'];
/** Larger files are streamed. */
const MAX_BUFFERED_BYTES = 262_144;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.wasm': 'application/wasm',
};

/**
 * Serves a single-page application: its files, and its index for every path without a file extension that a browser navigates to.
 * @throws StartFailure if the folder has no index.html
 */
export const singlePage = async ({ path: mount, folder }: Application): Promise<Route> => {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new StartFailure(`--spa: cannot read the folder ${folder}: ${describeFileError(error)}`);
  });
  const index = await openBelow(root, INDEX);
  if (!index) throw new StartFailure(`--spa: the folder ${folder} has no index.html: give the folder with the built application`);
  await index.handle.close();
  return (request) => {
    const target = withoutMount(mount, request.target);
    if (target === undefined) return undefined;
    // Relative URLs in the application resolve correctly only if the path of the folder ends with a slash, so `/zac` is redirected.
    const isFolder = request.target.startsWith(`${mount}/`);
    return answer(root, request, isFolder ? target : undefined, mount);
  };
};

const answer = async (root: string, request: CoreRequest, target: string | undefined, mount: string): Promise<CoreAnswer> => {
  if (!isReading(request)) return methodNotAllowed(SAFE);
  if (target === undefined) return { status: 308, headers: { ...SAFE, location: `${mount}/`, 'cache-control': 'no-cache' }, body: '' };
  const segments = safeSegments(splitTarget(target).path);
  if (!segments) return refusal(404, 'there is no such file', SAFE);
  const name = segments.at(-1) ?? '';
  const file = name === '' ? undefined : await openBelow(root, segments);
  if (file) return send(request, file, { name, cacheControl: isImmutable(name) ? 'public, max-age=31536000, immutable' : 'no-cache' });
  const isIndex = segments.length === 1 && name === '';
  const isNavigation = extname(name) === '' && acceptsHtml(request);
  const index = isIndex || isNavigation ? await openBelow(root, INDEX) : undefined;
  if (!index) return refusal(404, 'there is no such file', { ...SAFE, vary: 'accept' });
  return send(request, index, { name: 'index.html', cacheControl: 'no-cache', vary: 'accept' });
};

const acceptsHtml = (request: CoreRequest): boolean => /\btext\/html\b/i.test(request.header('accept') ?? '');

/**
 * True if a name contains a content hash as bundlers write it: `main.3f2a9c8b1d2e.js`, `chunk-5QX3WZ2L.js`. A hash must have both letters
 * and digits, so that an ordinary word does not match.
 */
const isImmutable = (name: string): boolean => /[.-](?=\w*\d)(?=\w*[A-Za-z])\w{8,64}\.\w+$/.test(name);

interface Representation {
  /** The name of the file, whose extension determines the content type. */
  readonly name: string;
  readonly cacheControl: string;
  readonly vary?: string;
}

const send = async (request: CoreRequest, file: OpenFile, { name, cacheControl, vary }: Representation): Promise<CoreAnswer> => {
  const { handle, size, etag } = file;
  const headers = { ...SAFE, ...(vary === undefined ? {} : { vary }), 'cache-control': cacheControl, etag };
  const cachedTags = (request.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (cachedTags.includes(etag)) {
    await handle.close();
    return { status: 304, headers, body: '' };
  }
  const fileHeaders = { ...headers, 'content-type': TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream' };
  if (size > MAX_BUFFERED_BYTES)
    return { status: 200, headers: { ...fileHeaders, 'content-length': String(size) }, body: contentsOf(file) };
  const body = await handle.readFile().finally(() => handle.close());
  return { status: 200, headers: fileHeaders, body };
};
