import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

/** What a part of `src/` may import, beside itself. Data flows one way: a part knows only what stands before it. */
const layers: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  query: [],
  platform: ['options.ts'],
  pki: ['platform'],
  qr: [],
  tokens: ['platform', 'pki'],
  presence: ['platform'],
  api: ['errors', 'query'],
  storage: ['api', 'query', 'platform', 'options.ts'],
  changes: ['api', 'errors', 'query', 'platform', 'storage'],
  call: ['api', 'errors', 'query', 'platform', 'pki', 'tokens', 'presence', 'storage', 'changes', 'options.ts'],
  resources: ['api', 'errors', 'query', 'platform', 'storage', 'changes', 'call'],
  domain: [
    'api',
    'errors',
    'query',
    'platform',
    'pki',
    'qr',
    'tokens',
    'presence',
    'storage',
    'changes',
    'call',
    'resources',
    'version.ts',
  ],
  pipeline: ['api', 'errors', 'query', 'platform', 'storage', 'changes', 'call', 'resources', 'domain'],
  client: ['api', 'errors', 'facade.ts', 'options.ts', 'types'],
  types: ['errors'],
  http: ['api', 'errors', 'platform', 'storage', 'call', 'version.ts'],
};

/** The only parts of `src/` that adapters know: what an outsider's adapter has, too. */
const entryPoints = ['src/index.ts', 'src/adapter-kit.ts', 'src/testing.ts'];

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );

const target = (file: string, specifier: string): string => relative(root, resolve(root, dirname(file), specifier));

test('every part of src/ imports only what stands before it', () => {
  const breaches = files('src').flatMap((file) => {
    const [, part = ''] = file.split('/');
    const allowed = layers[part];
    if (!allowed) return [];
    return importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => target(file, specifier).split('/')[1] ?? '')
      .filter((other) => other !== part && !allowed.includes(other))
      .map((other) => `${file} imports ${other}`);
  });
  assert.deepEqual(breaches, []);
});

test('src/ imports nothing of Node, and only declared dependencies', () => {
  const declared = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  const strange = files('src').flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !specifier.startsWith('.') && !declared.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(strange, []);
});

test('zod is imported as a namespace, of which bundlers leave out what is not used', () => {
  const whole = files('src').filter((file) => /import (?:type )?\{[^}]*\} from 'zod'/.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(whole, [], "write: import * as z from 'zod'");
});

test('adapters know src/ only by its entry points', () => {
  const breaches = files('adapters').flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => target(file, specifier))
      .filter((other) => other.startsWith('src/') && !entryPoints.includes(other))
      .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(breaches, []);
});

test('no file of src/ or adapters/ is longer than 300 lines, but for generated ones', () => {
  const long = [...files('src'), ...files('adapters')]
    .filter((file) => !file.startsWith('adapters/storage/kysely/migrations/'))
    .map((file) => [readFileSync(join(root, file), 'utf8').split('\n').length, file] as const)
    .filter(([lines]) => lines > 300);
  assert.deepEqual(long, []);
});
