/** The documents written by hand, and the code in them as programs of this repository. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

export const root = resolve(import.meta.dirname, '../..');
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');
export const manifest = JSON.parse(read('package.json'));

export const documents: readonly string[] = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...['docs', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
];

/** The code of a document in a language, block by block. */
export const blocks = (file: string, language: string): readonly string[] =>
  [...read(file).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] ?? '');

/** The one block that has `text` in it. */
export const blockWith = (file: string, language: string, text: string): string => {
  const [block, ...others] = blocks(file, language).filter((code) => code.includes(text));
  assert.ok(block !== undefined && others.length === 0, `${file} has ${block ? 'several blocks' : 'no block'} of ${language} with ${text}`);
  return block;
};

/** The files that a document shows, by path: blocks whose first line names one, such as `// lib/overlay.ts`. */
export const filesOf = (file: string, language = 'ts'): ReadonlyMap<string, string> =>
  new Map(
    blocks(file, language).flatMap((code) => [...code.matchAll(/^\/\/ (\S+\.tsx?)\n.*/gs)].map(([all, path = '']) => [path, all] as const)),
  );

/**
 * The source of what a package name stands for, as examples import it: `overlay-controller/http/node` is `../adapters/http/node.ts`.
 * Readers run it on Node.
 */
export const sourceOf = (specifier: string): string => {
  const target = manifest.exports[specifier.replace(manifest.name, '.')];
  assert.ok(target, `package.json exports no ${specifier}`);
  return (target.node ?? target.default).replace('./dist/', '../').replace(/\.js$/, '.ts');
};

/** Code as a reader of the README writes it, as an example of this repository has it. */
export const asSource = (code: string): string =>
  code.replace(/'(overlay-controller[^']*)'/g, (_, specifier: string) => `'${sourceOf(specifier)}'`);

/** The same, in whatever folder. A file that a guide shows, and its program imports, is an example of this repository. */
export const asSourceAnywhere = (code: string): string =>
  asSource(code)
    .replaceAll("'../", `'${pathToFileURL(root)}/`)
    .replaceAll("'./enroll-device.ts'", `'${pathToFileURL(root)}/examples/enroll-device.ts'`);

/**
 * Arguments for Node that run a reader's code, in whatever folder: what it imports is this repository's, and what this package depends on.
 */
export const running = (code: string): readonly string[] => {
  const source = asSourceAnywhere(code).replace(/(?<=^import .* from ')(?!node:|file:)[^']+/gm, (name) => import.meta.resolve(name));
  return HAS_DECORATORS.test(source)
    ? ['--input-type=module', '--eval', compiled(source)]
    : ['--input-type=module-typescript', '--eval', source];
};

/** Node strips types, but compiles no decorators. */
const HAS_DECORATORS = /^@\w+\(/m;

/** The options with which code is compiled that has decorators, as Nest has them. */
export const decorating = { experimentalDecorators: true, emitDecoratorMetadata: true } as const;

const compiled = (source: string): string => {
  const { ESNext: module } = ts.ModuleKind;
  return ts.transpileModule(source, { compilerOptions: { ...decorating, module, target: ts.ScriptTarget.ES2022 } }).outputText;
};
