/** `npm run check:package`, after `npm run build`: not among the tests, which need no build. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { blockWith } from '../docs/documents.ts';
import { install, manifest, root, runNode } from './pack.ts';

const entryPoints = Object.keys(manifest.exports)
  .filter((name) => name !== './package.json')
  .map((name) => name.replace('.', 'overlay-controller'));

test('the packed package runs and type-checks for those who install it, without its optional peers', (t) => {
  const app = install(t, ['@types/node']);
  const imports = entryPoints.map((name) => `await import('${name}');\n`).join('');
  const misuse = '// @ts-expect-error: types reach the installed package\nconst wrong = () => identities.create({ body: { name: 1 } });\n';
  writeFileSync(join(app, 'main.mts'), blockWith('README.md', 'ts', 'memoryStorage') + imports + misuse);
  assert.match(runNode(app, 'main.mts'), /^create ann$/m);
  typeCheck(app);
});

test('the Express application of the README type-checks against the packed package, its declarations included', (t) => {
  const app = install(t, ['@types/node', '@types/express', '@types/pg', 'express', 'pg']);
  writeFileSync(join(app, 'main.mts'), blockWith('README.md', 'ts', 'expressHandler'));
  typeCheck(app);
});

const typeCheck = (app: string): void => {
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.mts'] }));
  runNode(app, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
};

test('the core runs where there is no Node, and no code may be made of text', (t) => {
  const app = install(t);
  copyFileSync(join(root, 'test/package/portable.mjs'), join(app, 'main.mjs'));
  const without = pathToFileURL(join(root, 'test/package/without-node.ts')).href;
  const said = runNode(app, '--disallow-code-generation-from-strings', '--import', without, 'main.mjs');
  assert.match(said, /^found ann$/m);
  t.diagnostic(/^own code: .*$/m.exec(said)?.[0] ?? '');
});
