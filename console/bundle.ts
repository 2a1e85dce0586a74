/** Bundles the application with esbuild: in the build of the package, and in a checkout at the first request. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Assets } from './assets.ts';

const app = join(import.meta.dirname, 'app');

/** Preact is under the MIT licence, which requires its notice. */
const NOTICE = '/*! Contains Preact, (c) 2015-present Jason Miller, MIT licence: https://github.com/preactjs/preact/blob/main/LICENSE */';

let made: Promise<Assets> | undefined;

/** The files, bundled once in a process. A failed attempt is not kept. */
export const bundled = (): Promise<Assets> => {
  made ??= bundle().catch((error: unknown) => {
    made = undefined;
    throw error;
  });
  return made;
};

const bundle = async (): Promise<Assets> => {
  const { outputFiles } = await build({
    entryPoints: [join(app, 'main.tsx'), join(app, 'app.css')],
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    banner: { js: NOTICE },
    logLevel: 'silent',
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), styles: textOf('.css'), icon: await readFile(join(app, 'icon.svg'), 'utf8') };
};
