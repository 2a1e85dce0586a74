import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

/** The rooms of `src/`: a room imports only rooms before it. `docs/architecture.md` has a sentence for each. */
const rooms = [
  'query',
  'contract',
  'runtime',
  'crypto',
  'store',
  'call',
  'http',
  'access',
  'identity',
  'fabric',
  'operations',
  'controller',
];

/** What else is beside `src/`, and may be bundled without Node: the paths that it may import, beside its own. */
const beside: Readonly<Record<string, readonly string[]>> = {
  client: ['src/query/', 'src/contract/'],
  'adopt/conversion': ['src/', 'adopt/reader/fields/former-entities.ts'],
  'adopt/reader': [],
};

/** The only parts of `src/` that adapters know: what an outsider's adapter has, too. */
const entryPoints = ['src/index.ts', 'src/adapter-kit.ts', 'src/routers.ts', 'src/controller/tenants/index.ts'];

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'))
    .map((file) => join(folder, file));

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );

const target = (file: string, specifier: string): string => relative(root, resolve(root, dirname(file), specifier));

/** Generated files follow the declarations of kinds, which refer to each other. */
const isGenerated = (file: string): boolean =>
  file.startsWith('src/contract/types/') || ['src/contract/changes/rows.ts', 'client/operations.ts'].includes(file);

/** The files of this project that a file imports. */
const importedBy = (file: string): string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => target(file, specifier));

test('every room of src/ imports only rooms before it, and no file is outside of them but entry points', () => {
  const roomOf = (file: string): string => file.split('/')[1] ?? '';
  const loose = files('src').filter((file) => !rooms.includes(roomOf(file)));
  assert.deepEqual(loose.sort(), ['src/adapter-kit.ts', 'src/index.ts', 'src/routers.ts']);
  assert.deepEqual(
    rooms.filter((room) => files(`src/${room}`).length === 0),
    [],
  );
  const breaches = files('src').flatMap((file) =>
    loose.includes(file)
      ? []
      : importedBy(file)
          .filter((other) => !rooms.slice(0, rooms.indexOf(roomOf(file)) + 1).includes(roomOf(other)) || !other.startsWith('src/'))
          .map((other) => `${file} imports ${other}`),
  );
  assert.deepEqual(breaches, []);
});

for (const [folder, allowed] of Object.entries(beside))
  test(`${folder}/ imports only ${['itself', ...allowed].join(', ')}`, () => {
    const breaches = files(folder).flatMap((file) =>
      importedBy(file)
        .filter((other) => ![`${folder}/`, ...allowed].some((start) => other.startsWith(start)))
        .map((other) => `${file} imports ${other}`),
    );
    assert.deepEqual(breaches, []);
  });

for (const folder of ['src', 'adapters', 'adopt'])
  test(`no folder of ${folder}/ imports what imports it, at any depth, not even by way of others`, () => {
    assert.deepEqual(ringsIn(arrowsBetween(files(folder))), []);
  });

test('no file of src/, adapters/ or server/ imports itself by way of others, types included', () => {
  const sources = ['src', 'client', 'adapters', 'adopt', 'server'].flatMap(files).filter((file) => !isGenerated(file));
  const arrows = new Map(sources.map((file) => [file, new Set(importedBy(file).filter((other) => !isGenerated(other)))]));
  assert.deepEqual(ringsIn(arrows), []);
});

/**
 * Which imports which, where two files part ways: of `src/contract/api/kit/crud.ts` and `src/contract/api/shared.ts`, the folder
 * `src/contract/api/kit` and the file.
 */
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
  assert.deepEqual(strange, ['src/store/entities/sealed.ts']);
});

test('src/, the client and the conversion of former networks import nothing of Node, and only declared dependencies', () => {
  const declared = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  const strange = ['src', 'client', 'adopt/conversion'].flatMap(files).flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !specifier.startsWith('.') && !declared.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(strange, []);
});

test('dependencies are imported by what they publish, not by the files of their builds', () => {
  const deep = ['src', 'client', 'adapters', 'adopt', 'server', 'testing'].flatMap(files).flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !specifier.startsWith('.') && /\/(?:dist|lib|build)\//.test(specifier))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  assert.deepEqual(deep, []);
});

test('zod is imported as a namespace, of which bundlers leave out what is not used', () => {
  const whole = ['src', 'client', 'adopt']
    .flatMap(files)
    .filter((file) => /import (?:type )?\{[^}]*\} from 'zod'/.test(readFileSync(join(root, file), 'utf8')));
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

/** The parser of filters tells a condition from a text, as the API will. CSV is neutralized in one place. */
const SHARED_WITH_CONSOLE = ['src/query/parse.ts', 'src/query/tree.ts', 'src/contract/wire/csv.ts'];

test('the console calls the API by the typed client only, and nothing outside of it and the server knows it', () => {
  const sources = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join('console', file));
  const breaches = sources.flatMap((file) => {
    const allowed = file.startsWith('console/app/') ? ['client/', ...SHARED_WITH_CONSOLE] : [...entryPoints, 'adapters/http/handling.ts'];
    return importedBy(file)
      .filter((other) => !other.startsWith('console/') && !allowed.some((start) => other.startsWith(start)))
      .map((other) => `${file} imports ${other}`);
  });
  assert.deepEqual(breaches, []);
  const knowing = ['src', 'client', 'adapters', 'adopt', 'testing']
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

test('no source file is longer than 300 lines, but for generated ones and data', () => {
  const long = ['src', 'client', 'adapters', 'adopt']
    .flatMap(files)
    .filter((file) => !file.startsWith('adapters/storage/kysely/migrations/') && !file.endsWith('-schemas.ts') && !isGenerated(file))
    .map((file) => [readFileSync(join(root, file), 'utf8').split('\n').length, file] as const)
    .filter(([lines]) => lines > 300);
  assert.deepEqual(long, []);
});

test('no line of a comment is longer than 140 columns', () => {
  const long = ['src', 'client', 'adapters', 'adopt', 'server', 'testing', 'test', 'bench', 'scripts']
    .flatMap(files)
    .filter((file) => !isGenerated(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (line.length > 140 && /^\s*(?:\*|\/\*|\/\/)/.test(line) ? [`${file}:${i + 1}`] : [])),
    );
  assert.deepEqual(long, []);
});
