import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

/**
 * What a part of `src/` may import, beside itself. Data flows one way: a part knows only what stands before it. A floor of the domain has an entry of its
 * own where it may know less than the domain does.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  errors: ['wire'],
  platform: ['options.ts'],
  concurrency: ['errors', 'platform'],
  query: [],
  semver: [],
  pki: ['concurrency', 'platform'],
  qr: ['wire'],
  tokens: ['query', 'platform', 'pki'],
  presence: ['platform'],
  // Bytes to messages and back. Who a router is, and what it may, is none of its business.
  'control-channel': ['concurrency', 'platform'],
  api: ['wire', 'concurrency', 'errors', 'query', 'semver'],
  observability: ['concurrency', 'api', 'errors', 'platform', 'tokens'],
  storage: ['wire', 'concurrency', 'api', 'query', 'platform', 'observability', 'options.ts', 'version.ts'],
  changelog: ['concurrency', 'api', 'query', 'platform', 'storage', 'options.ts'],
  indexes: ['concurrency', 'api', 'query', 'platform', 'storage', 'changelog'],
  history: ['api', 'query', 'storage', 'changelog'],
  'read-cache': ['api', 'query', 'storage', 'changelog', 'indexes'],
  entities: ['concurrency', 'api', 'errors', 'query', 'platform', 'observability', 'storage', 'changelog', 'history', 'read-cache'],
  jobs: ['api', 'query', 'platform', 'storage', 'changelog', 'entities', 'read-cache', 'options.ts'],
  call: [
    'wire',
    'concurrency',
    'api',
    'errors',
    'query',
    'platform',
    'pki',
    'tokens',
    'presence',
    'observability',
    'storage',
    'changelog',
    'entities',
    'read-cache',
    'jobs',
    'if-version.ts',
    'options.ts',
    'version.ts',
  ],
  resources: ['concurrency', 'api', 'errors', 'query', 'platform', 'tokens', 'storage', 'entities', 'call'],
  authentication: [
    'wire',
    'api',
    'errors',
    'query',
    'platform',
    'pki',
    'tokens',
    'observability',
    'storage',
    'changelog',
    'entities',
    'call',
    'resources',
  ],
  // Who may what: it asks no session and no socket.
  'domain/policy': ['concurrency', 'api', 'errors', 'query', 'semver', 'storage', 'entities', 'call', 'resources'],
  domain: [
    'wire',
    'concurrency',
    'api',
    'errors',
    'query',
    'semver',
    'platform',
    'pki',
    'qr',
    'tokens',
    'presence',
    'control-channel',
    'observability',
    'storage',
    'changelog',
    'entities',
    'jobs',
    'call',
    'resources',
    'authentication',
    'version.ts',
  ],
  pipeline: [
    'wire',
    'concurrency',
    'api',
    'errors',
    'query',
    'platform',
    'tokens',
    'observability',
    'storage',
    'changelog',
    'entities',
    'call',
    'resources',
    'authentication',
    'types',
    'if-version.ts',
    'previewing.ts',
  ],
  types: ['api', 'changelog', 'call', 'errors'],
  client: ['wire', 'api', 'changelog', 'errors', 'query', 'call', 'types', 'if-version.ts', 'options.ts', 'previewing.ts'],
  http: [
    'wire',
    'concurrency',
    'api',
    'errors',
    'platform',
    'observability',
    'storage',
    'call',
    'if-version.ts',
    'options.ts',
    'version.ts',
  ],
  opening: [
    'wire',
    'concurrency',
    'api',
    'errors',
    'platform',
    'pki',
    'tokens',
    'presence',
    'observability',
    'query',
    'storage',
    'changelog',
    'indexes',
    'read-cache',
    'entities',
    'jobs',
    'call',
    'resources',
    'domain',
    'pipeline',
    'http',
    'options.ts',
    'version.ts',
  ],
  adoption: [
    'concurrency',
    'api',
    'errors',
    'query',
    'platform',
    'pki',
    'tokens',
    'storage',
    'changelog',
    'entities',
    'call',
    'resources',
    'domain',
    'opening',
    'options.ts',
    'runtime.ts',
  ],
  tenants: [
    'api',
    'errors',
    'query',
    'platform',
    'storage',
    'entities',
    'call',
    'http',
    'opening',
    'controller-inside.ts',
    'controller.ts',
    'options.ts',
    'runtime.ts',
  ],
};

/** The rooms of the domain, floor by floor: a room knows only rooms before it. The files beside the floors know them all. */
const rooms = [
  'policy/roles',
  'policy/expiry',
  'policy/policies',
  'policy/posture',
  'policy/access',
  'policy/tests',
  'catalogue/configs',
  'catalogue/services',
  'directory/mfa',
  'directory/cas',
  'directory/external-jwt-signers',
  'directory/authenticators',
  'directory/enrollment',
  'directory/identities',
  'directory/auth-policies',
  'directory/current-identity',
  'directory/api-tokens',
  'fabric/routers',
  'fabric/terminators',
  'fabric/connections',
  'fabric/view',
  'sessions/api-sessions',
  'sessions/login',
  'sessions/sessions',
  'sessions/accessible',
  'sessions/explain',
  'sessions/posture-data',
  'sessions/oidc',
  'traffic/routers',
  'traffic/authorization',
  'traffic/sessions',
  'traffic/data-model',
  'traffic/terminators',
  'traffic/links',
  'traffic/circuits',
  'traffic/channels',
  'maintenance/database',
  'maintenance/tracing',
  'maintenance/informational',
  'maintenance/controllers',
  'maintenance/changes',
  'maintenance/history',
  'maintenance/audit',
  'maintenance/batch',
  'maintenance/state',
  'maintenance/trust',
];

/** The only parts of `src/` that adapters know: what an outsider's adapter has, too. */
const entryPoints = [
  'src/index.ts',
  'src/adapter-kit.ts',
  'src/routers.ts',
  'src/adoption/index.ts',
  'src/tenants/index.ts',
  'src/testing.ts',
];

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );

const target = (file: string, specifier: string): string => relative(root, resolve(root, dirname(file), specifier));

/** Generated files follow the declarations of kinds, which refer to each other. */
const isGenerated = (file: string): boolean =>
  file.startsWith('src/types/') || ['src/changelog/rows.ts', 'src/client/operations.ts'].includes(file);

/** The files of this project that a file imports. */
const importedBy = (file: string): string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => target(file, specifier));

test('every part of src/ imports only what stands before it', () => {
  const parts = new Set(files('src').flatMap((file) => file.split('/').slice(1, -1)[0] ?? []));
  assert.deepEqual(
    [...parts].sort(),
    Object.keys(layers)
      .filter((part) => !part.includes('/'))
      .sort(),
    'every part stands in the table',
  );
  const breaches = files('src').flatMap((file) => {
    const [, part = '', floor = ''] = file.split('/');
    const allowed = layers[`${part}/${floor}`] ?? layers[part];
    if (!allowed) return [];
    return importedBy(file)
      .map((other) => other.split('/')[1] ?? '')
      .filter((other) => other !== part && !allowed.includes(other))
      .map((other) => `${file} imports ${other}`);
  });
  assert.deepEqual(breaches, []);
});

test('every room of the domain imports only rooms before it', () => {
  const roomOf = (file: string): string => relative('src/domain', file).split('/').slice(0, 2).join('/');
  const inRooms = files('src/domain').filter((file) => file.split('/').length > 3);
  assert.deepEqual([...new Set(inRooms.map(roomOf))].sort(), rooms.toSorted(), 'every room stands in the order');
  const breaches = inRooms.flatMap((file) =>
    importedBy(file)
      .filter((other) => other.startsWith('src/domain/') && !rooms.slice(0, rooms.indexOf(roomOf(file)) + 1).includes(roomOf(other)))
      .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(breaches, []);
});

for (const folder of ['src', 'adapters'])
  test(`no folder of ${folder}/ imports what imports it, at any depth, not even by way of others`, () => {
    assert.deepEqual(ringsIn(arrowsBetween(files(folder))), []);
  });

test('no file of src/, adapters/ or server/ imports itself by way of others, types included', () => {
  const sources = ['src', 'adapters', 'server'].flatMap(files).filter((file) => !isGenerated(file));
  const arrows = new Map(sources.map((file) => [file, new Set(importedBy(file).filter((other) => !isGenerated(other)))]));
  assert.deepEqual(ringsIn(arrows), []);
});

/** Which imports which, where two files part ways: of `src/api/kit/crud.ts` and `src/api/shared.ts`, the folder `src/api/kit` and the file. */
const arrowsBetween = (from: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const arrows = new Map<string, Set<string>>();
  for (const file of from)
    for (const other of importedBy(file)) {
      const [here, there] = [file.split('/'), other.split('/')];
      const depth = here.findIndex((name, i) => name !== there[i]) + 1;
      const [a, b] = [here.slice(0, depth).join('/'), there.slice(0, depth).join('/')];
      // Of files beside each other, the test above takes care.
      if (!a.endsWith('.ts') || !b.endsWith('.ts')) arrows.set(a, (arrows.get(a) ?? new Set()).add(b));
    }
  return arrows;
};

const ringsIn = (arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const [rings, done, way]: [string[], Set<string>, string[]] = [[], new Set(), []];
  const visit = (at: string): void => {
    if (way.includes(at)) rings.push([...way.slice(way.indexOf(at)), at].join(' -> '));
    if (way.includes(at) || done.has(at)) return;
    way.push(at);
    for (const next of arrows.get(at) ?? []) visit(next);
    way.pop();
    done.add(at);
  };
  for (const start of arrows.keys()) visit(start);
  return rings;
};

test('secrets are sealed as the field tables declare it, and in no other way, so that reseal() finds them all', () => {
  const strange = files('src').filter((file) => /\.(?:seal|unseal)\(/.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(strange, ['src/entities/sealed.ts']);
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

test('dependencies are imported by what they publish, not by the files of their builds', () => {
  const deep = ['src', 'adapters', 'server', 'testing'].flatMap(files).flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !specifier.startsWith('.') && /\/(?:dist|lib|build)\//.test(specifier))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(deep, []);
});

test('zod is imported as a namespace, of which bundlers leave out what is not used', () => {
  const whole = files('src').filter((file) => /import (?:type )?\{[^}]*\} from 'zod'/.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(whole, [], "write: import * as z from 'zod'");
});

test('adapters know src/ only by its entry points', () => {
  const breaches = files('adapters').flatMap((file) =>
    importedBy(file)
      .filter((other) => other.startsWith('src/') && !entryPoints.includes(other))
      .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(breaches, []);
});

test('the reader of a former database knows nothing of the controller', () => {
  const folder = 'adapters/adoption';
  const breaches = files(folder).flatMap((file) =>
    importedBy(file)
      .filter((other) => !other.startsWith(`${folder}/`))
      .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(breaches, []);
});

test('the console calls the API by the typed client only, and nothing outside of it and the server knows it', () => {
  const sources = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join('console', file));
  const breaches = sources.flatMap((file) => {
    const allowed = file.startsWith('console/app/') ? ['src/client/'] : [...entryPoints, 'adapters/http/handling.ts'];
    return importedBy(file)
      .filter((other) => !other.startsWith('console/') && !allowed.some((start) => other.startsWith(start)))
      .map((other) => `${file} imports ${other}`);
  });
  assert.deepEqual(breaches, []);
  const knowing = ['src', 'adapters', 'testing']
    .flatMap(files)
    .filter((file) => importedBy(file).some((other) => other.startsWith('console/')));
  assert.deepEqual(knowing, []);
});

test('what SQL engines share knows none of them, and none knows another', () => {
  const folder = 'adapters/storage/kysely';
  const engineOf = (file: string): string | undefined => /^(?:sqlite|postgres)(?=\/)/.exec(relative(folder, file))?.[0];
  const breaches = files(folder)
    .filter((file) => file !== `${folder}/index.ts`)
    .flatMap((file) =>
      importedBy(file)
        .filter((other) => ![undefined, engineOf(file)].includes(engineOf(other)))
        .map((other) => `${file} imports ${other}`),
    );
  assert.deepEqual(breaches, []);
});

test('the engine that stands for those of others knows only what the package exports', () => {
  const { exports }: { exports: Readonly<Record<string, { readonly default: string } | string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const sources = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', '').replace(/\.js$/, '.ts')],
  );
  const file = 'test/adapters/kysely/own-engine.ts';
  assert.deepEqual(
    importedBy(file).filter((other) => !sources.includes(other)),
    [],
  );
});

test('no file of src/ or adapters/ is longer than 300 lines, but for generated ones and data', () => {
  const long = [...files('src'), ...files('adapters')]
    .filter((file) => !file.startsWith('adapters/storage/kysely/migrations/') && !file.endsWith('-schemas.ts') && !isGenerated(file))
    .map((file) => [readFileSync(join(root, file), 'utf8').split('\n').length, file] as const)
    .filter(([lines]) => lines > 300);
  assert.deepEqual(long, []);
});
