/** `npm run check:package`, after `npm run build`: not among the tests, which need no build. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './child.ts';

const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** @returns what the command said; an error unless it ended well. */
const run = (cwd: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
};

test('the built package runs and type-checks for those who install it', (t) => {
  const folder = temporaryFolder(t);
  const app = join(folder, 'app');
  const installed = join(app, 'node_modules/overlay-controller');
  mkdirSync(installed, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });

  const embedding = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
  const entryPoints = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports).filter(
    (name) => name !== './package.json',
  );
  const imports = entryPoints.map((name) => `await import('${name.replace('.', 'overlay-controller')}');\n`).join('');
  const misuse = '// @ts-expect-error: types reach the installed package\nconst wrong = () => identities.create({ body: { name: 1 } });\n';
  writeFileSync(join(app, 'main.mts'), embedding + imports + misuse);
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] },
      include: ['main.mts'],
    }),
  );
  assert.match(run(app, 'main.mts'), /^create ann$/m);
  run(app, tsc, '-p', '.');
});
