/**
 * Builds `dist/`: `npm run build`. It contains everything that the entry points and commands of package.json import: code with its types
 * blanked out, and the declarations that their exports name. Decision 041 explains why there are no source maps.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { bundled } from '../console/bundle.ts';
import { codeOf } from './build/code.ts';
import { declarationsOf } from './build/declarations.ts';
import { named } from './build/named.ts';
import { entriesOf, reachable } from './build/reach.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

const entries = entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const sourceOf = (path: string): string => readFileSync(join(root, path.replace(/\.js$/, '.ts')), 'utf8');

const declarations = named(root, entries.types, declarationsOf(root));

/** The module of the console's files, which bundles them in a checkout. Minified, it quotes its texts so that they need few backslashes. */
const CONSOLE = 'console/assets.js';
const texts = `export const assets = async () => (${JSON.stringify(await bundled())});`;
const packedConsole = (await transform(texts, { minify: true, charset: 'utf8' })).code;

const types = reachable(
  entries.types,
  (path) => declarations.get(path) ?? '',
  (path) => path.replace(/\.[jt]s$/, '.d.ts'),
);
const code = reachable(
  entries.code,
  (path) => (path === CONSOLE ? packedConsole : codeOf(sourceOf(path))),
  (path) => path,
);
const files = [...code, ...types];

rmSync(dist, { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  writeFileSync(join(dist, path), text);
}
console.log(`dist/ has ${files.length} files, ${Math.round(files.reduce((sum, [, text]) => sum + text.length, 0) / 1000)} kB`);
