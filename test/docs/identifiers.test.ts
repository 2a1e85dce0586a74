import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documents, read, root } from './documents.ts';

const checked = documents.filter(
  (file) => file.startsWith('docs/decisions/') || ['docs/architecture.md', 'docs/extend.md', 'CONTRIBUTING.md'].includes(file),
);

/** Marks whose words are not in the sources, because they name what the project does not use. */
const EXTERNAL: Readonly<Record<string, string>> = {
  'new Function': 'what platforms without eval refuse',
  'better-sqlite3': 'a rejected package',
  '@bufbuild/protobuf': 'a rejected package',
  '@cfworker/json-schema': 'a rejected package',
  '@cloudamqp/amqp-client': 'a rejected package',
  '@github/combobox-nav': 'a rejected package',
  protobufjs: 'a rejected package',
  'prom-client': 'a rejected package',
  roaring: 'a rejected package',
  'roaring-wasm': 'a rejected package',
  sirv: 'a rejected package',
  'typescript-eslint': 'a rejected package',
  typedfastbitset: 'a rejected package',
  EnvHttpProxyAgent: 'of undici, rejected',
  NODE_USE_ENV_PROXY: 'of Node, rejected',
  proxyEnv: 'of Node, rejected',
  NOTIFY: 'of PostgreSQL, rejected',
  SERIALIZABLE: 'of PostgreSQL, rejected',
  commit_delay: 'of PostgreSQL, set by its administrator',
  pg_advisory_lock: 'of PostgreSQL, rejected',
  pg_trgm: 'of PostgreSQL, rejected',
  'READ COMMITTED': 'of PostgreSQL, its default',
  deepStrictEqual: 'of Node, called by tests of hosts',
  Referer: 'a header that browsers send',
  'typescript/no-floating-promises': 'a rule, named in .oxlintrc.json',
};

/** The files of the project that contain code, apart from these tests. */
const sources = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^\.|^(?:node_modules|dist|docs|site)$/.test(entry.name))
  .flatMap(({ name: folder }) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('test/docs/') && !file.includes('node_modules'));

/** Parts of a mark that mean any text. */
const PLACEHOLDERS = /<[^>]+>|\b(?:HOLDER|ADDRESS|FILE\.tgz)\b/g;
const WORD = /[\p{L}_$][\w$]*/gu;
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(WORD));
const withoutComments = (code: string): string => code.replaceAll(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm, '');

const words = new Set<string>();
/** The words of the files that declare each class, interface, type or constant with a capital letter. */
const declaring = new Map<string, ReadonlySet<string>[]>();
for (const file of sources) {
  const code = withoutComments(read(file));
  const found = wordsOf(code);
  for (const word of found) words.add(word);
  for (const [, name = ''] of code.matchAll(/\b(?:class|interface|type|const) ([A-Z]\w*)/g))
    declaring.set(name, [...(declaring.get(name) ?? []), found]);
}
for (const file of ['package.json', 'tsconfig.json', 'exec.cmd', '.ci/run']) for (const word of wordsOf(read(file))) words.add(word);

const paths = [...sources, ...documents, ...readdirSync(root)].map((file) => `/${file}`);
/** True if a mark that looks like a file, such as `engine/sql.ts`, is the end of the path of one. */
const isFile = (mark: string): boolean => existsSync(join(root, mark)) || paths.some((path) => path.endsWith(`/${mark}`));

/** True if the sources contain all names of a mark; a member of a type (`Type.member`) must be in a file that declares the type. */
const isKnown = (mark: string): boolean => {
  if (mark in EXTERNAL) return true;
  if (/^[\w./-]+\.(tsx?|md)$/.test(mark)) return isFile(mark);
  if (/^[\w.-]+\/[\w./-]*$/.test(mark) && isFile(mark)) return true;
  const [, type = '', member = ''] = /^([A-Z]\w*)\.(\w+)/.exec(mark) ?? [];
  if (declaring.get(type)?.some((found) => found.has(member)) === false) return false;
  const named = mark.replaceAll(PLACEHOLDERS, '');
  return [...wordsOf(named)].every((word) => words.has(word));
};

test('every name in code marks of decisions and of documents for contributors exists', () => {
  const marks = checked.flatMap((file) =>
    [
      ...read(file)
        .replaceAll(/^```.*?^```$/gms, '')
        .matchAll(/`([^`\n]+)`/g),
    ].map(([, mark = '']) => [file, mark] as const),
  );
  assert.ok(marks.length > 500, `${marks.length} found`);
  assert.deepEqual(
    marks.filter(([, mark]) => !isKnown(mark)),
    [],
  );
  const unused = Object.keys(EXTERNAL).filter((name) => !marks.some(([, mark]) => mark === name));
  assert.deepEqual(unused, []);
});

test('every decision that sources and documents refer to exists', () => {
  const numbers = new Set(readdirSync(join(root, 'docs/decisions')).map((file) => file.slice(0, 3)));
  const dead = [...sources, ...documents].flatMap((file) =>
    [...read(file).matchAll(/\bdecisions?[ /](0\d\d)/g)].flatMap(([text, number = '']) =>
      numbers.has(number) ? [] : [`${file}: ${text}`],
    ),
  );
  assert.deepEqual(dead, []);
});
