/** What the packed package holds: how much it is, and code as its readers know it from the repository. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { transform } from 'esbuild';
import { install, root, runNode } from './pack.ts';

const BOUND = 5_750_000; // bytes

/** The bundled console has no source at its lines. */
const BUNDLED = 'console/assets.js';

const installed = (t: TestContext): string => join(install(t), 'node_modules/overlay-controller');

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(folder, file)).isFile());

const codeIn = (folder: string): readonly string[] => filesIn(folder).filter((file) => file.endsWith('.js'));

test(`the package has less than ${BOUND.toLocaleString('en')} bytes unpacked`, (t) => {
  const folder = installed(t);
  const sizes = filesIn(folder).map((file) => statSync(join(folder, file)).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${total} bytes in ${sizes.length} files`);
  assert.ok(total < BOUND, `${total} bytes`);
});

test('it has neither sources nor source maps, nor modules without code', (t) => {
  const folder = installed(t);
  assert.deepEqual(
    filesIn(folder).filter((file) => /(\.map|(?<!\.d)\.ts)$/.test(file)),
    [],
  );
  const code = codeIn(join(folder, 'dist')).map((file) => readFileSync(join(folder, 'dist', file), 'utf8'));
  assert.deepEqual(
    code.filter((text) => text.trim() === 'export {};'),
    [],
  );
});

/** Types and comments are gone, and punctuation may move: the end of a type that spans lines takes the `)` before it along. */
const wordsStand = (source: string, code: string): boolean => {
  const written = wordsOf(source);
  let next = 0;
  return wordsOf(code).every((word) => {
    next = written.indexOf(word, next) + 1;
    return next > 0;
  });
};

/** Imports end in `.ts` in sources, and in `.js` in code. */
const wordsOf = (line: string): readonly string[] => line.replaceAll(/\.ts\b/g, '.js').match(/\w+/g) ?? [];

test('it is published only once its addresses are those of a repository', () => {
  const isComplete = !readFileSync(join(root, 'package.json'), 'utf8').includes('.example');
  const { status } = spawnSync(process.execPath, ['scripts/publishable.ts'], { cwd: root, stdio: 'ignore' });
  assert.equal(status === 0, isComplete);
});

test('all code stands at the line of its source, so that stack traces name the place in the repository', (t) => {
  const dist = join(installed(t), 'dist');
  const moved = codeIn(dist).flatMap((file) => {
    if (file === BUNDLED) return [];
    const source = readFileSync(join(root, file.replace(/\.js$/, '.ts')), 'utf8').split('\n');
    const lines = readFileSync(join(dist, file), 'utf8').split('\n');
    return lines.flatMap((line, index) => (wordsStand(source[index] ?? '', line) ? [] : [`${file}:${index + 1} ${line}`]));
  });
  assert.deepEqual(moved, []);
});

test('all code is that of its source: the build changes nothing but types, comments, spaces and the ends of imports', async (t) => {
  const dist = join(installed(t), 'dist');
  const compact = async (code: string): Promise<string> => {
    const { code: text } = await transform(code, { minifyWhitespace: true, legalComments: 'none' });
    return text.replaceAll(/\.ts\b/g, '.js');
  };
  for (const file of codeIn(dist).filter((each) => each !== BUNDLED)) {
    const source = stripTypeScriptTypes(readFileSync(join(root, file.replace(/\.js$/, '.ts')), 'utf8'));
    assert.equal(await compact(readFileSync(join(dist, file), 'utf8')), await compact(source), file);
  }
});

test('no syntax is newer than the oldest Node that the package runs on', async (t) => {
  const dist = join(installed(t), 'dist');
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const target = `node${engines.node.replace('>=', '')}`;
  const supported = { 'regexp-unicode-property-escapes': true }; // which Node has: esbuild judges by the version of Unicode
  for (const file of codeIn(dist)) {
    const code = readFileSync(join(dist, file), 'utf8');
    const [asIs, lowered] = await Promise.all(['esnext', target].map((each) => transform(code, { target: each, supported })));
    assert.equal(lowered?.code, asIs?.code, file);
  }
});

test('the OpenAPI document is imported by its name', (t) => {
  const app = install(t);
  writeFileSync(
    join(app, 'main.mjs'),
    "import document from 'overlay-controller/docs/openapi.json' with { type: 'json' };\nconsole.log(document.openapi);\n",
  );
  assert.match(runNode(app, 'main.mjs'), /^3\.1\.\d$/m);
});
