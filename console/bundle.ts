/** Bundles the application with esbuild: in the build of the package, and in a checkout at the first request. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import type { Assets } from './assets.ts';
import { noticesOf } from './notices.ts';

const app = join(import.meta.dirname, 'app');

let bundling: Promise<Assets> | undefined;

/** The files, bundled once per process. A failed attempt is not cached. */
export const bundled = (): Promise<Assets> => {
  bundling ??= bundle().catch((error: unknown) => {
    bundling = undefined;
    throw error;
  });
  return bundling;
};

const bundle = async (): Promise<Assets> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(app, 'main.tsx'), join(app, 'app.css')],
    outdir: '/',
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    metafile: true,
    logLevel: 'silent',
  });
  const {
    'main.js': script = '',
    'app.css': styles = '',
    ...parts
  } = Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]));
  const notices = await noticesOf(Object.keys(metafile.inputs));
  return { script: `${notices}${script}`, parts, styles, icon: await readFile(join(app, 'icon.svg'), 'utf8') };
};
